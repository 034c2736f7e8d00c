/// Gradients of attention past 128 columns on NVIDIA, where two warps share the columns of a gradient.

#include <tegula/kernel/attention/backward/tiles.hpp>

#include "test/kernel/attention/backward/backward.hpp"

using namespace tegula;
using namespace tegula::test;
using enum attention_mask;
using repeats = attention_gradient_case::repeats;

TEST_CASE("attention backward on sm_80: 256 columns", "[attention]")
{
    using kernels = attention_backward_for<arch::sm_80, bfloat16, 256, 256,
                                           attention_variant<band, attention_bias::tensor, attention_weights::dropped>>;
    check_attention_gradients<kernels>({1, 2, 1, 70, 100, 256, 248, {-1, 0}, true}, {}, 0.25);
    attention_gradient_case shared{2, 1, 1, 65, 40, 200, 256, {10, 3, attention_diagonal::top_left, 5}};
    shared.bias = repeats::batch_and_queries;
    check_attention_gradients<kernels>(shared, {}, 0.25);
}

TEST_CASE("attention backward on sm_80: 256 columns, the gradient of a bias in a fixed order", "[attention]")
{
    using kernels = attention_backward_for<arch::sm_80, half, 256, 128, attention_variant<none, attention_bias::tensor>,
                                           half, unchanged_score, bias_gradient_sums::in_fixed_order>;
    attention_gradient_case c{2, 1, 1, 70, 40, 256, 128};
    for (const auto over :
         {repeats::nothing, repeats::batch_and_queries, repeats::batch_and_heads, repeats::keys, repeats::all}) {
        c.bias = over;
        check_attention_gradients<kernels>(c);
    }
}

TEST_CASE("attention backward on sm_80: 192 and 128 columns", "[attention]")
{
    using kernels = attention_backward_for<arch::sm_80, half, 192, 128, attention_variant<band>>;
    check_attention_gradients<kernels>({1, 4, 2, 127, 65, 192, 128, {20, 0}});
}

TEST_CASE("attention backward on sm_89: 192 columns", "[attention]")
{
    check_attention_gradients<attention_backward_for<arch::sm_89, bfloat16, 192, 128>>({1, 2, 2, 65, 127, 192, 120});
}

TEST_CASE("attention backward on sm_89: 192 columns, block lists and a functor", "[attention]")
{
    using kernels =
        attention_backward_for<arch::sm_89, bfloat16, 192, 192, attention_variant<lists>, bfloat16, capped_score>;
    attention_gradient_case c{2, 2, 1, 150, 260, 184, 192};
    check_attention_gradients<kernels, capped_score>(c, {1.5f});
}

TEST_CASE("attention backward on sm_80: 128 columns, a boolean mask, a bias, dropout and a functor", "[attention]")
{
    using kernels =
        attention_backward_for<arch::sm_80, half, 128, 128,
                               attention_variant<boolean, attention_bias::tensor, attention_weights::dropped>, half,
                               capped_score>;
    attention_gradient_case c{2, 2, 1, 70, 100, 128, 120, {-1, 0}};
    for (const auto over : {repeats::nothing, repeats::batch_and_queries, repeats::batch_and_heads}) {
        c.bias = over;
        check_attention_gradients<kernels, capped_score>(c, {1.5f}, 0.25);
    }
}

TEST_CASE("attention backward on sm_80: 128 columns, the gradient of a bias in a fixed order", "[attention]")
{
    using kernels = attention_backward_for<arch::sm_80, half, 64, 128, attention_variant<none, attention_bias::tensor>,
                                           half, unchanged_score, bias_gradient_sums::in_fixed_order>;
    attention_gradient_case c{2, 1, 1, 70, 40, 64, 128};
    for (const auto over :
         {repeats::nothing, repeats::batch_and_queries, repeats::batch_and_heads, repeats::keys, repeats::all}) {
        c.bias = over;
        check_attention_gradients<kernels>(c);
    }
}

TEST_CASE("attention backward on sm_90a: 192 and 128 columns, slopes, dropout and a functor", "[attention]")
{
    using kernels = attention_backward_for<arch::sm_90a, bfloat16, 192, 128,
                                           attention_variant<band, attention_bias::alibi, attention_weights::dropped>,
                                           bfloat16, capped_score>;
    check_attention_gradients<kernels, capped_score>({1, 4, 2, 127, 65, 192, 128, {20, 0}}, {1.5f}, 0.25);
}

TEST_CASE("attention backward on sm_89: 256 columns, block lists, a bias and dropout", "[attention]")
{
    using kernels = attention_backward_for<arch::sm_89, half, 256, 256,
                                           attention_variant<lists, attention_bias::tensor, attention_weights::dropped>,
                                           half, capped_score>;
    check_attention_gradients<kernels, capped_score>({2, 2, 1, 150, 260, 256, 248}, {1.5f}, 0.25);
}

TEST_CASE("attention backward on sm_90a: 256 columns", "[attention]")
{
    using kernels = attention_backward_for<arch::sm_90a, half, 256, 256>;
    check_attention_gradients<kernels>({2, 2, 2, 65, 127, 256, 256});
    check_attention_gradients<kernels>({1, 1, 1, 1, 1, 256, 256});
}
