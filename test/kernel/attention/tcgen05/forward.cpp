#include <tegula/kernel/attention/tcgen05/kernel.hpp>

#include "test/kernel/attention/tensor_copies.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

template <class Exponentials>
struct by_tcgen05_with
{
    using target = arch::sm_100a;
    template <class T, index_t D, index_t ValueDim, class Variant, class O = T, class Score = unchanged_score>
    using kernel = tcgen05_attention<tcgen05_attention_tile_for<target, T, D, ValueDim, Exponentials, Variant, Score>,
                                     O, Variant, Score>;
};
using by_tcgen05 = by_tcgen05_with<tcgen05_exponentials>;

} // namespace

TEST_CASE("sm_100a: attention by tcgen05, every length and band", "[attention]")
{
    check_every_length_and_band<by_tcgen05>();
}

TEST_CASE("sm_100a: attention by tcgen05 of f16, all keys", "[attention]") { check_all_keys<by_tcgen05>(); }

TEST_CASE("sm_100a: attention by tcgen05 of wide heads, and all exponentials by the instruction", "[attention]")
{
    check_wide_heads<by_tcgen05, by_tcgen05_with<hardware_exponentials>>();
}

TEST_CASE("sm_100a: attention by tcgen05 with changed scores", "[attention]") { check_changed_scores<by_tcgen05>(); }
