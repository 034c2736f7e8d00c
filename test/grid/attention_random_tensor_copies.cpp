// Random attentions, forward and backward, by tensor copies: see random_problems.hpp.

#include <tegula/kernel/attention/tcgen05/backward_kernels.hpp>
#include <tegula/kernel/attention/warp_specialized/backward_kernels.hpp>

#include "test/kernel/attention/random_problems.hpp"
#include "test/kernel/attention/tcgen05/family.hpp"
#include "test/kernel/attention/warp_specialized/family.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("sm_90a: random attentions by warps of several tasks", "[attention]")
{
    using kernel = warp_specialized::kernel<half, 64, 64, random_variant>;
    check_random_attentions<kernel, warp_specialized_backward_for<arch::sm_90a, half, 64, 64, random_variant>>(1900,
                                                                                                               25);
}

TEST_CASE("sm_90a: random attentions of any length, gradients in five products", "[attention]")
{
    using kernel = warp_specialized::kernel_of_any_length<half, 64, 64, random_variant>;
    check_random_attentions<kernel,
                            warp_specialized_fused_backward_for<arch::sm_90a, half, 64, 64, random_variant, half,
                                                                unchanged_score, attention_sequences::of_any_length>>(
        2900, 25);
}

TEST_CASE("sm_100a: random attentions of any length by tcgen05", "[attention][tcgen05]")
{
    using kernel = by_tcgen05::kernel_of_any_length<bfloat16, 64, 64, random_variant>;
    check_random_attentions<kernel, tcgen05_backward_for<arch::sm_100a, bfloat16, 64, 64, random_variant, bfloat16,
                                                         unchanged_score, attention_sequences::of_any_length>>(2000,
                                                                                                               25);
}

TEST_CASE("sm_100a: random attentions of any length by tcgen05, gradients in five products", "[attention][tcgen05]")
{
    using kernel = by_tcgen05::kernel_of_any_length<bfloat16, 128, 64, random_variant>;
    check_random_attentions<kernel,
                            tcgen05_fused_backward_for<arch::sm_100a, bfloat16, 128, 64, random_variant, bfloat16,
                                                       unchanged_score, attention_sequences::of_any_length>>(3900, 25);
}
