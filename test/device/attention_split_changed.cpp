// Attention whose keys are split and whose scores are changed: packed heads over pages by a boolean mask, a bias in memory, a
// soft cap and dropout; packed heads by slopes; heads apart by block lists.
//
// full targets: gfx90a gfx942 gfx950 gfx1100 gfx1201 sm_80 sm_89 sm_90a
// expect * [shares]: matrix >= 8, wide_global_load >= 2, wide_shared_load >= 4
// expect * [sum]: wide_global_load >= 1
// expect gfx90a clang22 [shares maskE3]: loop_matrix_percent >= 4.8
// expect gfx90a clang22 [shares maskE1]: loop_matrix_percent >= 26
// expect gfx90a clang22 [shares maskE2]: loop_matrix_percent >= 60
// expect gfx942 clang22 [shares maskE3]: loop_matrix_percent >= 2.4
// expect gfx942 clang22 [shares maskE1]: loop_matrix_percent >= 14
// expect gfx942 clang22 [shares maskE2]: loop_matrix_percent >= 39
// expect gfx950 [shares maskE3]: loop_matrix_percent >= 1.2
// expect gfx950 [shares maskE1]: loop_matrix_percent >= 14
// expect gfx950 [shares maskE2]: loop_matrix_percent >= 45

#include "test/device/attention_words.hpp"

#include <tegula/kernel/attention/soft_cap.hpp>
#include <tegula/kernel/attention/split/kernel.hpp>

namespace tegula {

template <index_t D, class Variant, class Score = unchanged_score>
using split =
    attention_split_kernel<decoding_tile_for<target, bfloat16, D, D, Variant, Score>, bfloat16, Variant, Score>;

void keep_all(const void** kept)
{
    using enum attention_mask;
    using enum attention_cache;
    using enum attention_heads;
#if defined(__clang__)
    constexpr attention_weights weights = target::wave_size == 64 || __clang_major__ >= 22
                                              ? attention_weights::dropped
                                              : attention_weights::all; // as in attention_scores.cpp
#else
    constexpr attention_weights weights = attention_weights::dropped;
#endif
    using biased =
        split<64, attention_variant<boolean, attention_bias::tensor, weights, paged, packed>, soft_cap<target>>;
    using sloping =
        split<128, attention_variant<band, attention_bias::alibi, attention_weights::all, contiguous, packed>>;
    using listed = split<128, attention_variant<lists>>;
    *kept++ = reinterpret_cast<const void*>(shares<biased>);
    *kept++ = reinterpret_cast<const void*>(shares<sloping>);
    *kept++ = reinterpret_cast<const void*>(shares<listed>);
    *kept++ = reinterpret_cast<const void*>(sum<biased::combine>);
}

} // namespace tegula
