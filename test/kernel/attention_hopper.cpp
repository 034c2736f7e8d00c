#include <tegula/kernel/attention/soft_cap.hpp>

#include "test/kernel/attention_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::sm_90a;

template <class T, index_t D, index_t ValueDim, class Variant, class O = T, class Score = unchanged_score>
using warp_specialized =
    warp_specialized_attention<warp_specialized_attention_tile_for<target, T, D, ValueDim>, O, Variant, Score>;

TEST_CASE("sm_90a: warp-specialised attention, every length and band", "[attention]")
{
    check_attention_lengths<warp_specialized<bfloat16, 64, 64, attention_variant<attention_mask::band>>>();
}

TEST_CASE("sm_90a: warp-specialised attention of f16, all keys", "[attention]")
{
    using kernel = warp_specialized<half, 128, 128, attention_variant<>>;
    for (const index_t keys : {1, 127, 300})
        check_attention(attention_data<kernel>(300, keys, 2, 1, 1));
}
