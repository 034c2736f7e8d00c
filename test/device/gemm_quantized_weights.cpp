// int8 and int4 weights by 16-bit activations.
//
// targets: gfx942
// full targets: gfx90a gfx950 gfx1100 gfx1201 sm_80 sm_90a
// expect * [along_k]: matrix >= 8, wide_global_load >= 1, wide_shared_load >= 2, wide_shared_store >= 1
// expect * [in_groups]: matrix >= 8, wide_global_load >= 1, wide_shared_load >= 2, wide_shared_store >= 1
// expect * [element_wise]: matrix >= 8
// expect gfx90a gfx942: /v_mfma_f32_16x16x16_?b?f16/ >= 8
// expect gfx942 clang22 [along_k]: loop_matrix_percent >= 40
// expect gfx942 clang22 [in_groups packed_int4ILb1E]: loop_matrix_percent >= 36
// expect gfx942 clang22 [packed_int4ILb1E]: loop_matrix_percent >= 20
// expect gfx942 clang22 [packed_int4ILb0E]: loop_matrix_percent >= 9
// expect gfx90a clang22 [along_k]: loop_matrix_percent >= 60
// expect gfx90a clang22 [in_groups packed_int4ILb1E]: loop_matrix_percent >= 55
// expect gfx90a clang22 [packed_int4ILb1E]: loop_matrix_percent >= 32
// expect gfx90a clang22 [packed_int4ILb0E]: loop_matrix_percent >= 17
// expect gfx950 [along_k]: loop_matrix_percent >= 20
// expect gfx950 [in_groups packed_int4ILb1E]: loop_matrix_percent >= 18
// expect gfx950 [packed_int4ILb1E]: loop_matrix_percent >= 11
// expect gfx950 [packed_int4ILb0E]: loop_matrix_percent >= 5
// expect gfx942 clang19 [packed_int4ILb1E]: loop_per_hundred <= 850
// expect gfx942 clang19 [packed_int4ILb0E]: loop_per_hundred <= 1830
// Words of integers become floats by their bytes, not one by one (dequantized_run).
// expect sm_80 sm_90a [in_groups]: /cvt\.rn\.f32\.s(8|16|32)/ == 0
// expect sm_80 sm_90a [along_k]: /cvt\.rn\.f32\.s(8|16|32)/ == 0
// expect sm_90a [along_k]: sass_issue_percent <= 189, sass_shared_percent <= 211
// expect sm_90a [in_groups packed_int4ILb1E]: sass_issue_percent <= 277, sass_shared_percent <= 211
// expect sm_90a [in_groups packed_int4ILb0E]: sass_issue_percent <= 713, sass_shared_percent <= 321
// expect sm_90a [element_wise quantizedIa]: sass_issue_percent <= 283, sass_shared_percent <= 202
// expect sm_90a [element_wise packed_int4ILb1E]: sass_issue_percent <= 341, sass_shared_percent <= 202
// expect sm_90a [element_wise packed_int4ILb0E]: sass_issue_percent <= 585, sass_shared_percent <= 302
// expect gfx1100 gfx1201: /v_wmma_f32_16x16x16_b?f16/ >= 8
//
// Scales and zero points of whole tiles come by buffer loads: nothing branches around a load in the main loop.
// expect gfx90a gfx942 gfx950 [in_groups]: /buffer_load_u(short|byte)/ >= 2
// expect gfx1100 gfx1201 [in_groups]: /buffer_load_u(16|8)/ >= 2

#include <tegula/kernel/gemm/forms/quantized_weights.hpp>

#include "test/device/gemm_words.hpp"

namespace tegula {

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) in_groups(typename Kernel::arguments args)
{
    run<Kernel>(args);
}

template <class Tile, class Form, operand_order B>
void keep_form(const void**& kept)
{
    using kernels =
        quantized_weights_kernels<Tile, Form, typename Tile::a_type, epilogue::chain<epilogue::scale_columns<>>>;
    using aligned = typename kernels::template aligned<k_contiguous, B>;
    if constexpr (Form::group > 0)
        *kept++ = reinterpret_cast<const void*>(in_groups<aligned>);
    else
        *kept++ = reinterpret_cast<const void*>(along_k<aligned>);
    *kept++ = reinterpret_cast<const void*>(element_wise<typename kernels::element_wise>);
}

void keep_all(const void** kept)
{
    keep_form<gemm_tiles<target, bfloat16>::t128x128, quantized<std::int8_t>, k_contiguous>(kept);
    keep_form<gemm_tiles<target, half>::t128x128, quantized<int4x2, 128, half>, k_contiguous>(kept);
    keep_form<gemm_tiles<target, bfloat16>::t64x64, quantized<uint4x2, 64, float, std::uint8_t>, row_contiguous>(kept);
}

} // namespace tegula
