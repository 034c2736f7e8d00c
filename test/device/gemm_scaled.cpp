// Block-scaled fp8, and products of the two fp8 types, where there is an instruction.
//
// full targets: gfx942 gfx950 gfx1201 sm_90a
// expect gfx942: /v_mfma_f32_16x16x32_(fp8|bf8)_(fp8|bf8)/ >= 8
// expect gfx950: /v_mfma_f32_16x16x128_f8f6f4/ >= 4
// expect gfx1201: /v_wmma_f32_16x16x16_(fp8|bf8)_(fp8|bf8)/ >= 4
// expect sm_90a: /mma\.sync\.aligned\.m16n8k32\.row\.col\.f32\.e[45]m[32]\.e[45]m[32]\.f32/ >= 8
// expect * [along_k]: wide_global_load >= 2, wide_shared_load >= 2, wide_global_store >= 1
// expect gfx942 clang22 [along_k]: loop_matrix_percent >= 46
// expect gfx942 clang22 [element_wise]: loop_matrix_percent >= 7
// expect gfx942 clang22 [mixed]: loop_matrix_percent >= 12
// expect gfx950 [along_k]: loop_matrix_percent >= 25
// expect gfx950 [element_wise]: loop_matrix_percent >= 4
// expect gfx950 [mixed]: loop_matrix_percent >= 11
// expect gfx942 [mixed]: /v_mfma_f32_16x16x32_(fp8_bf8|bf8_fp8)/ >= 8
// expect gfx950 [mixed]: /v_mfma_f32_16x16x128_f8f6f4 .*(cbsz|blgp):1/ >= 4
// expect gfx1201 [mixed]: /v_wmma_f32_16x16x16_(fp8_bf8|bf8_fp8)/ >= 4
// expect sm_90a [mixed]: /e4m3\.e5m2/ >= 8

#include <tegula/kernel/gemm/forms/block_scaled.hpp>

#include "test/device/gemm_words.hpp"

namespace tegula {

inline constexpr bool is_fnuz = std::is_same_v<target, arch::gfx942>;
using e4m3 = std::conditional_t<is_fnuz, float8_e4m3_fnuz, float8_e4m3>;
using e5m2 = std::conditional_t<is_fnuz, float8_e5m2_fnuz, float8_e5m2>;
using tiles = block_scaled_tiles<target, e4m3>;
using large = std::conditional_t<tiles::has_t128x128, tiles::t128x128, tiles::t128x64>;
using pair_tiles = block_scaled_tiles<target, e4m3, e5m2>;

template <class Tile>
using kernels = block_scaled_kernels<Tile, float, epilogue::none>;

void keep_all(const void** kept)
{
    *kept++ = reinterpret_cast<const void*>(along_k<kernels<large>::aligned<k_contiguous, k_contiguous>>);
    *kept++ = reinterpret_cast<const void*>(element_wise<kernels<tiles::t64x64>::element_wise>);
    *kept++ = reinterpret_cast<const void*>(mixed<gemm_kernel<pair_tiles::t64x64, k_contiguous, k_contiguous, float,
                                                              epilogue::none, output_access::vectors>>);
}

} // namespace tegula
