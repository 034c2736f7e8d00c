/// Gradients on sm_100a by mma.sync, as tcgen05's kernels end at 128 columns and know neither pages nor block lists.

#include "test/grid/attention_backward_combinations.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::sm_100a;

TEST_CASE("sm_100a: gradients of 256 columns and of block lists", "[attention]")
{
    check_gradient_combination<attention_backward_for<target, half, 256, 256, attention_variant<attention_mask::band>>,
                               unchanged_score>(256, 248);
    check_gradient_combination<attention_backward_for<target, bfloat16, 64, 64,
                                                      attention_variant<attention_mask::lists, attention_bias::alibi>>,
                               unchanged_score>(64, 64);
}
