// GEMM whose A has rows found by index, whose B is made of two tensors and whose C is scattered; and products of two weights
// with a function between.
//
// targets: gfx942
// full targets: gfx90a gfx950 gfx1100 gfx1201 sm_80
// expect * [along_k]: matrix >= 8, wide_global_load >= 2, wide_shared_load >= 2, wide_shared_store >= 1
// expect * [along_k]: wide_global_store >= 1, half_wide_global_store == 0
// expect gfx90a gfx942 gfx1100 gfx1201: /^flat_/ == 0
// expect gfx942 clang22 [gathered_rows]: loop_matrix_percent >= 40
// expect gfx942 clang22 [gated_rows]: loop_matrix_percent >= 22
// expect gfx90a clang22 [gathered_rows]: loop_matrix_percent >= 57
// expect gfx90a clang22 [gated_rows]: loop_matrix_percent >= 46
// expect gfx950 [gathered_rows]: loop_matrix_percent >= 24
// expect gfx950 [gated_rows]: loop_matrix_percent >= 11

#include <tegula/kernel/gemm/forms/prologue.hpp>
#include <tegula/kernel/gemm/prologue/tiles.hpp>

#include "test/device/gated.hpp"
#include "test/device/gemm_words.hpp"

namespace tegula {

void keep_all(const void** kept)
{
    using tile = prologue_tiles<target, bfloat16>::large;
    using kernels = prologue_kernels<tile, gathered_rows<bfloat16>, made_elements<bfloat16, gated>, bfloat16,
                                     epilogue::chain<epilogue::scale_rows<>>, c_rows_order::by_index>;
    *kept++ = reinterpret_cast<const void*>(along_k<kernels::aligned<k_contiguous, k_contiguous>>);
    using gated_kernels = prologue_kernels<prologue_tiles<target, bfloat16>::small, strided_rows<bfloat16>,
                                           gated_rows<bfloat16>, bfloat16, epilogue::none, c_rows_order::as_they_are>;
    *kept++ = reinterpret_cast<const void*>(along_k<gated_kernels::aligned<k_contiguous, k_contiguous>>);
}

} // namespace tegula
