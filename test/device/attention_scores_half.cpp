// Attention forward whose scores are changed, in f16, and of output in float: with a bias in memory and a soft cap inside a band
// and inside a band alone, as the program `attention` has it; by a boolean mask and dropout; by block lists with slopes; and of
// keys in pages with heads apart.
//
// full targets: gfx90a gfx942 gfx950 gfx1100 gfx1201 gfx1250 sm_80 sm_89 sm_90a sm_100a sm_120a
// expect *: matrix >= 8, wide_global_load >= 2, wide_shared_load >= 4

#include "test/device/attention_words.hpp"

#include <tegula/kernel/attention/soft_cap.hpp>

namespace tegula {

template <class T, index_t D, class O, class Variant, class Score = unchanged_score>
const void* keep()
{
    return reinterpret_cast<const void*>(
        plain<attention_kernel<attention_tile_for<target, T, D, D, Variant, Score>, O, Variant, Score>>);
}

void keep_all(const void** kept)
{
    using enum attention_mask;
#if defined(__clang__)
    constexpr attention_weights weights = target::wave_size == 64 || __clang_major__ >= 22
                                              ? attention_weights::dropped
                                              : attention_weights::all; // as in attention_scores.cpp
#else
    constexpr attention_weights weights = attention_weights::dropped;
#endif
    using causal = attention_variant<band>;
    using biased = attention_variant<band, attention_bias::tensor>;
    *kept++ = keep<half, 128, float, biased, soft_cap<target>>();
    *kept++ = keep<half, 64, float, causal>();
    *kept++ = keep<bfloat16, 64, float, biased, soft_cap<target>>();
    *kept++ = keep<bfloat16, 256, float, biased, soft_cap<target>>();
    *kept++ = keep<half, 128, half, attention_variant<boolean, attention_bias::none, weights>>();
    *kept++ = keep<half, 64, half, attention_variant<lists, attention_bias::alibi>>();
    *kept++ = keep<half, 128, half,
                   attention_variant<band, attention_bias::none, attention_weights::all, attention_cache::paged>>();
}

} // namespace tegula
