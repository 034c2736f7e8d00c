// Attention of 8-bit inputs with scales in its other forms: with two bits of mantissa inside a band; with the keys split, plain,
// of packed heads over pages by a boolean mask, a bias in memory, a soft cap and dropout, and over pages of any length, of 128
// columns.
//
// full targets: gfx942 gfx950 gfx1201 sm_89 sm_90a
// expect gfx942 gfx950 gfx1201 [banded]: wide_global_load >= 2, wide_shared_load >= 4
// expect gfx942 gfx950 gfx1201 [shares]: matrix >= 8, wide_global_load >= 2, wide_shared_load >= 4
// expect * [sum]: wide_global_load >= 1
// expect gfx942 [banded]: /v_mfma_f32_32x32x16_bf8_bf8/ >= 16
// expect gfx1201 [banded]: /v_wmma_f32_16x16x16_bf8_bf8/ >= 16
// expect sm_89 sm_90a [banded]: /mma\.sync\.aligned\.m16n8k32\.row\.col\.f32\.e5m2\.e5m2\.f32/ >= 32
// expect gfx942 clang22 [banded]: loop_matrix_percent >= 38
// expect gfx942 clang22 [shares maskE3]: loop_matrix_percent >= 2.3
// expect gfx950 [banded]: loop_matrix_percent >= 23
// expect gfx950 [shares maskE3]: loop_matrix_percent >= 1.7
// expect sm_90a [6bandedI]: sass_issue_percent <= 224, sass_shared_percent <= 132
// expect sm_90a [6sharesI cacheE1]: sass_issue_percent <= 1118, sass_shared_percent <= 170
// expect sm_90a [6sharesI cacheE0]: sass_issue_percent <= 246, sass_shared_percent <= 158

#include "test/device/attention_words.hpp"

#include <tegula/kernel/attention/soft_cap.hpp>
#include <tegula/kernel/attention/split/kernel.hpp>

namespace tegula {

template <index_t D, class Variant, class Score = unchanged_score>
using split = attention_split_kernel<decoding_tile_for<target, e4m3, D, D, Variant, Score>, half, Variant, Score>;

void keep_all(const void** kept)
{
    using causal = attention_variant<attention_mask::band>;
    *kept++ = reinterpret_cast<const void*>(
        banded<attention_kernel<attention_tile_for<target, e5m2, 128, 128, causal>, half, causal>>);
    using biased = split<128,
                         attention_variant<attention_mask::boolean, attention_bias::tensor, attention_weights::dropped,
                                           attention_cache::paged, attention_heads::packed>,
                         soft_cap<target>>;
    using apart = split<128, attention_variant<>>;
    using anywhere = split<128, attention_variant<attention_mask::band, attention_bias::none, attention_weights::all,
                                                  attention_cache::paged_by_key, attention_heads::packed>>;
    *kept++ = reinterpret_cast<const void*>(shares<biased>);
    *kept++ = reinterpret_cast<const void*>(shares<apart>);
    *kept++ = reinterpret_cast<const void*>(shares<anywhere>);
    *kept++ = reinterpret_cast<const void*>(sum<biased::combine>);
    *kept++ = reinterpret_cast<const void*>(sum<apart::combine>);
}

} // namespace tegula
