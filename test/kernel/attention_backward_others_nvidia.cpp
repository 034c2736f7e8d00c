/// Gradients of attention on the NVIDIA targets that have no file of their own: each by one set of kernels, which together with
/// those of attention_backward_others_amd.cpp have every mask, bias and change of scores.

#include <tegula/kernel/attention/backward/tiles.hpp>

#include "test/kernel/attention_backward.hpp"

using namespace tegula;
using namespace tegula::test;

using enum attention_mask;

TEST_CASE("attention backward on sm_89")
{
    using kernels = attention_backward_for<arch::sm_89, half, 64, 64, attention_variant<band, attention_bias::tensor>>;
    check_attention_gradients<kernels>({1, 2, 2, 127, 65, 64, 64, {40, 0, attention_diagonal::top_left, 3}});
}

TEST_CASE("attention backward on sm_90a")
{
    using kernels =
        attention_backward_for<arch::sm_90a, bfloat16, 64, 64, attention_variant<none>, bfloat16, capped_score>;
    check_attention_gradients<kernels, capped_score>({1, 2, 1, 65, 65}, {2.0f});
}
