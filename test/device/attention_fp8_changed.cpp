// Attention of 8-bit inputs with scales whose scores are changed: heads of 64 columns plain and with a boolean mask, a bias
// in memory, a soft cap and dropout; of 128 columns by block lists with slopes, of
// 256 by slopes with dropout.
//
// full targets: gfx942 gfx950 gfx1201 gfx1250 sm_89 sm_90a
// expect gfx942 gfx1201: matrix >= 8, wide_global_load >= 2, wide_shared_load >= 4
// expect gfx950: matrix >= 4, wide_global_load >= 2, wide_shared_load >= 4
// expect sm_89 sm_90a: /mma\.sync\.aligned\.m16n8k32\.row\.col\.f32\.e4m3\.e4m3\.f32/ >= 32
// expect gfx942 clang22 [maskE0]: loop_matrix_percent >= 22
// expect gfx942 clang22 [maskE3]: loop_matrix_percent >= 1.7
// expect gfx942 clang22 [maskE2]: loop_matrix_percent >= 14
// expect gfx942 clang22 [maskE1]: loop_matrix_percent >= 6.1
// expect gfx950 [maskE0]: loop_matrix_percent >= 13
// expect gfx950 [maskE3]: loop_matrix_percent >= 0.8
// expect gfx950 [maskE2]: loop_matrix_percent >= 7.4
// expect gfx950 [maskE1]: loop_matrix_percent >= 4.1
// expect sm_90a [ELi64ELi64ELi64E maskE0]: sass_issue_percent <= 272, sass_shared_percent <= 124
// expect sm_90a [ELi64ELi64ELi64E maskE3]: sass_issue_percent <= 1292, sass_shared_percent <= 124
// expect sm_90a [ELi128ELi128E]: sass_issue_percent <= 280, sass_shared_percent <= 132
// expect sm_90a [ELi256ELi256E]: sass_issue_percent <= 534, sass_shared_percent <= 146

#include "test/device/attention_words.hpp"

#include <tegula/kernel/attention/soft_cap.hpp>

namespace tegula {

template <index_t D, class Variant = attention_variant<>, class Score = unchanged_score>
const void* keep()
{
    using tile = attention_tile_for<target, e4m3, D, D, Variant, Score>;
    return reinterpret_cast<const void*>(plain<attention_kernel<tile, half, Variant, Score>>);
}

void keep_all(const void** kept)
{
    *kept++ = keep<64>();
    *kept++ = keep<64, attention_variant<attention_mask::boolean, attention_bias::tensor, attention_weights::dropped>,
                   soft_cap<target>>();
    *kept++ = keep<128, attention_variant<attention_mask::lists, attention_bias::alibi>>();
    *kept++ = keep<256, attention_variant<attention_mask::band, attention_bias::alibi, attention_weights::dropped>>();
}

} // namespace tegula
