// Quantised weights that stay packed in shared memory, for few rows: kernels by their names.
//
// targets: gfx942 sm_90a
// full targets: gfx950 sm_80
// expect * [6bits_]: matrix >= 16, wide_global_load >= 2, wide_shared_load >= 4
// expect * [11zero_points]: matrix >= 16, wide_global_load >= 2, wide_shared_load >= 4
// expect sm_80 sm_90a [6bits_]: /cp\.async/ >= 4
// expect sm_80 sm_90a [11zero_points]: /cp\.async/ >= 4
// expect *: registers <= 255
//
// Instructions of the main loop for 100 matrix instructions (AMD), and issue slots in per cent of the clocks of products (NVIDIA).
// With 16 rows a matrix instruction multiplies 4 weights of a lane, with 32 rows 2. It has 4 clocks of a scheduler on sm_90a, where
// 329 % are 3.3 instructions a weight, and 8 on sm_80.
// An H100 reads 29 weights of 4 bits a cycle of a multiprocessor, which issues the instructions of 128 lanes: 4.4 a weight. An
// MI300X reads 16.6 a cycle of a compute unit, whose SIMDs issue vector instructions of 64 lanes: 3.9, beside scalar ones.
// expect sm_80 [6bits_4I]: sass_issue_percent <= 148, sass_shared_percent <= 76
// expect sm_80 [bits_4_in_f16]: sass_issue_percent <= 98, sass_shared_percent <= 63
// expect sm_80 [11zero_points]: sass_issue_percent <= 149, sass_shared_percent <= 51
// expect sm_80 [6bits_8I]: sass_issue_percent <= 186, sass_shared_percent <= 101
// expect sm_90a [6bits_4I]: sass_issue_percent <= 329, sass_shared_percent <= 236
// expect sm_90a [bits_4_in_f16]: sass_issue_percent <= 220, sass_shared_percent <= 182
// expect sm_90a [11zero_points]: sass_issue_percent <= 323, sass_shared_percent <= 158
// expect sm_90a [6bits_8I]: sass_issue_percent <= 602, sass_shared_percent <= 336
// expect gfx942 [6bits_4I]: loop_per_hundred <= 1730
// expect gfx942 clang22 [6bits_4I]: loop_matrix_percent >= 16
// expect gfx942 clang22 [bits_4_in_f16]: loop_matrix_percent >= 31
// expect gfx942 clang22 [11zero_points]: loop_matrix_percent >= 17
// expect gfx942 clang22 [6bits_8I]: loop_matrix_percent >= 16
// expect gfx950 [6bits_4I]: loop_matrix_percent >= 7
// expect gfx950 [bits_4_in_f16]: loop_matrix_percent >= 16
// expect gfx950 [11zero_points]: loop_matrix_percent >= 8
// expect gfx950 [6bits_8I]: loop_matrix_percent >= 9

#include <tegula/kernel/gemm/forms/quantized_weights.hpp>
#include <tegula/kernel/gemm/forms/split_k.hpp>
#include <tegula/kernel/gemm/forms/weight_tiles.hpp>

#include "test/device/gemm_words.hpp"
#include "test/device/keep.hpp"

namespace tegula {

TEGULA_KEEP(bits_4)
TEGULA_KEEP(bits_4_in_f16)
TEGULA_KEEP(zero_points)
TEGULA_KEEP(bits_8)

template <class Tile, class Form>
using kernels =
    quantized_weights_kernels<Tile, Form, typename Tile::a_type, epilogue::chain<epilogue::scale_columns<>>>;

void keep_all(const void** kept)
{
    using bf16 = weight_tiles<target, bfloat16>;
    using f16 = weight_tiles<target, half>;
    using groups_of_128 = kernels<bf16::t16x128_packed, quantized<int4x2, 128, half>>;
    using groups_of_64 = kernels<f16::t32x128_packed, quantized<int4x2, 64>>;
    using with_zeros = kernels<bf16::t16x128_packed, quantized<uint4x2, 64, float, std::uint8_t>>;
    using bytes = kernels<bf16::t16x128_packed, quantized<std::int8_t>>;
    *kept++ = reinterpret_cast<const void*>(bits_4<split_k_gemm<groups_of_128::aligned<k_contiguous, k_contiguous>>>);
    *kept++ = reinterpret_cast<const void*>(bits_4_in_f16<groups_of_64::aligned<k_contiguous, k_contiguous>>);
    *kept++ = reinterpret_cast<const void*>(zero_points<with_zeros::aligned<k_contiguous, k_contiguous>>);
    *kept++ = reinterpret_cast<const void*>(bits_8<bytes::aligned<k_contiguous, row_contiguous>>);
}

} // namespace tegula
