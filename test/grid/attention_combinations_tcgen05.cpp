// Forms of attention by tcgen05 in which every two choices that differ in code meet. The cache is contiguous and heads are
// apart there, and there are no block lists.

#include <tegula/kernel/attention/tcgen05/kernel.hpp>

#include "test/grid/attention_combinations.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

using target = arch::sm_100a;
using enum attention_mask;
constexpr attention_bias no_bias = attention_bias::none;

template <class T, index_t HeadDim, index_t ValueDim, attention_mask Mask, attention_bias Bias, bool Dropped, class Score>
void check(index_t head_dim = HeadDim, index_t value_dim = ValueDim)
{
    check_combination<tcgen05_attention<tcgen05_attention_tile_for<target, T, HeadDim, ValueDim>, T,
                                        attention_variant<Mask, Bias, Dropped>, Score>>(head_dim, value_dim);
}

} // namespace

TEST_CASE("sm_100a: attention by tcgen05 of f16 in every two forms", "[attention][tcgen05]")
{
    check<half, 64, 64, band, attention_bias::alibi, true, soft_cap<target>>(56, 64);
    check<half, 128, 128, attention_mask::none, attention_bias::tensor, false, soft_cap<target>>();
    check<half, 192, 128, boolean, no_bias, true, unchanged_score>();
    check<half, 256, 256, band, attention_bias::tensor, true, unchanged_score>(256, 200);
}

TEST_CASE("sm_100a: attention by tcgen05 of bf16 in every two forms", "[attention][tcgen05]")
{
    check<bfloat16, 64, 64, boolean, attention_bias::alibi, false, unchanged_score>(64, 40);
    check<bfloat16, 128, 128, band, no_bias, false, unchanged_score>();
    check<bfloat16, 192, 128, attention_mask::none, attention_bias::alibi, true, soft_cap<target>>(192, 120);
    check<bfloat16, 256, 256, boolean, attention_bias::tensor, false, soft_cap<target>>();
}
