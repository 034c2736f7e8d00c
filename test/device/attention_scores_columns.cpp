// Attention forward whose scores are changed, of other than the 128 columns of attention_scores.cpp: by a boolean mask, a
// bias in memory, a soft cap and dropout; by block lists and slopes; by slopes inside a band and dropout; by a bias alone.
// On RDNA clang 19 compiles them without dropout, as there.
//
// full targets: gfx90a gfx942 gfx950 gfx1100 gfx1201 gfx1250 sm_80 sm_89 sm_90a
// expect *: matrix >= 8, wide_global_load >= 2, wide_shared_load >= 4

#include "test/device/attention_words.hpp"

#include <tegula/kernel/attention/soft_cap.hpp>

namespace tegula {

template <index_t D, index_t ValueDim, class Variant, class Score = unchanged_score>
void keep(const void**& kept)
{
    using tile = attention_tile_for<target, bfloat16, D, ValueDim, Variant, Score>;
    *kept++ = reinterpret_cast<const void*>(plain<attention_kernel<tile, half, Variant, Score>>);
}

template <index_t D, index_t ValueDim>
void keep_changes(const void**& kept)
{
    using enum attention_mask;
    constexpr attention_bias tensor = attention_bias::tensor, alibi = attention_bias::alibi;
#if defined(__clang__)
    constexpr attention_weights weights =
        target::wave_size == 64 || __clang_major__ >= 22 ? attention_weights::dropped : attention_weights::all;
#else
    constexpr attention_weights weights = attention_weights::dropped;
#endif
    keep<D, ValueDim, attention_variant<boolean, tensor, weights>, soft_cap<target>>(kept);
    keep<D, ValueDim, attention_variant<lists, alibi>>(kept);
    keep<D, ValueDim, attention_variant<band, alibi, weights>>(kept);
    keep<D, ValueDim, attention_variant<band, tensor>>(kept);
}

void keep_all(const void** kept)
{
    keep_changes<32, 32>(kept);
    keep_changes<64, 64>(kept);
    keep_changes<192, 128>(kept);
    keep_changes<256, 256>(kept);
}

} // namespace tegula
