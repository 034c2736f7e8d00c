#include "test/grid/attention_backward_combinations.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

using target = arch::gfx950;
using namespace attention_forms;

template <class T, index_t HeadDim, index_t ValueDim, attention_mask Mask, attention_bias Bias, bool Dropped,
          class Score>
void check(index_t head_dim = HeadDim, index_t value_dim = ValueDim)
{
    check_gradient_combination<
        attention_backward_for<target, T, HeadDim, ValueDim, attention_variant<Mask, Bias, Dropped>, T, Score>, Score>(
        head_dim, value_dim);
}

} // namespace

TEST_CASE("attention backward on gfx950: f16 in many forms", "[attention]")
{
    check<half, 32, 32, every_key, alibi, true, capped_score>(32, 24);
    check<half, 64, 64, attention_mask::lists, tensor, false, capped_score>();
    check<half, 128, 64, boolean, no_bias, false, unchanged_score>(96, 64);
}

TEST_CASE("attention backward on gfx950: bf16 in many forms", "[attention]")
{
    check<bfloat16, 64, 64, band, no_bias, true, unchanged_score>(64, 48);
    check<bfloat16, 128, 128, boolean, tensor, true, capped_score>();
    check<bfloat16, 128, 128, every_key, no_bias, false, unchanged_score>();
}
