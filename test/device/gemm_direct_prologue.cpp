// Products on gfx950 whose A comes straight into shared memory from places of its own: rows by index, and pixels under the taps
// of a filter. Loads, rounds and waits are those of gemm_direct.cpp. gemm_direct_experts.cpp has other tiles and forms.
//
// targets: gfx950
// expect * [direct_interleaved]: /buffer_load_dwordx4 .* lds/ >= 24, /v_mfma_f32_16x16x/ >= 64
// expect * [direct_interleaved]: loop_matrix == 192, loop_load_drains == 0, loop_shared_percent <= 75, loop_global_percent <= 75
// expect * [mixed]: loop_matrix_percent >= 93, registers <= 320, /ds_read_b64_tr_b16/ >= 24
// expect * [along_k]: loop_matrix_percent >= 87, registers <= 336

#include <tegula/kernel/convolution/product.hpp>

#include "test/device/gemm_words.hpp"

namespace tegula {

void keep_all(const void** kept)
{
    using rows =
        prologue_kernels<gemm_tiles<target, bfloat16>::t256x128, gathered_rows<bfloat16>, strided_rows<bfloat16>,
                         bfloat16, epilogue::chain<epilogue::scale_rows<>>, c_rows_order::by_index>;
    *kept++ = reinterpret_cast<const void*>(mixed<rows::aligned<k_contiguous, row_contiguous>>);
    using pixels = convolution_kernels<convolution_direction::forward, 2, gemm_tiles<target, half>::t256x128, half,
                                       epilogue::chain<epilogue::activate>>;
    *kept++ = reinterpret_cast<const void*>(along_k<pixels::aligned<k_contiguous, k_contiguous>>);
}

} // namespace tegula
