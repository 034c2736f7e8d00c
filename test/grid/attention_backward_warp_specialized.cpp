/// Gradients of attention by wgmma in many forms, with every length of queries and of keys.

#include <tegula/kernel/attention/warp_specialized/backward_kernels.hpp>

#include "test/grid/attention_backward_combinations.hpp"

using namespace tegula;
using namespace tegula::test;
using namespace attention_forms;

namespace {

template <class T, index_t HeadDim, index_t ValueDim, attention_mask Mask, attention_bias Bias,
          attention_weights Weights, bool Capped>
void check(index_t head_dim = HeadDim, index_t value_dim = ValueDim)
{
    using score = std::conditional_t<Capped, capped_score, unchanged_score>;
    check_gradient_combination<warp_specialized_backward_for<arch::sm_90a, T, HeadDim, ValueDim,
                                                             attention_variant<Mask, Bias, Weights>, T, score>,
                               score>(head_dim, value_dim);
}

} // namespace

TEST_CASE("sm_90a: gradients by wgmma in many forms", "[attention]")
{
    check<bfloat16, 64, 128, every_key, tensor, dropped, false>(64, 120);
    check<bfloat16, 128, 128, boolean, no_bias, all, true>();
    check<half, 64, 64, band, alibi, dropped, false>(40, 64);
    check<half, 128, 64, band, tensor, all, true>(120, 64);
}

TEST_CASE("sm_90a: wide gradients by wgmma", "[attention]")
{
    check<bfloat16, 256, 256, band, no_bias, all, false>();
    check<half, 192, 128, every_key, no_bias, all, false>(184, 104);
    check<half, 64, 256, band, no_bias, all, false>(64, 200);
    check<bfloat16, 256, 128, every_key, no_bias, all, false>(208, 128);
}
