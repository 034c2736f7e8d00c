/// Gradients of attention by tcgen05 on the emulator: lengths, bands, grouped heads, changed scores.

#include <tegula/kernel/attention/backward/tiles.hpp>
#include <tegula/kernel/attention/tcgen05/backward_kernels.hpp>

#include "test/kernel/attention/backward/backward.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::sm_100a;

TEST_CASE("sm_100a: gradients by tcgen05, lengths")
{
    using kernels = tcgen05_backward_for<target, half, 64>;
    check_attention_gradients<kernels>({1, 1, 1, 1, 1});
    check_attention_gradients<kernels>({1, 2, 1, 3, 65, 40, 56});
    check_attention_gradients<kernels>({2, 4, 2, 65, 127, 64, 64, {}, true});
    check_attention_gradients<kernels>({1, 1, 1, 300, 140});
    check_attention_gradients<kernels>({1, 2, 1, 0, 5});
    check_attention_gradients<kernels>({1, 2, 1, 5, 0});
    check_attention_gradients<kernels>({0, 2, 1, 5, 5});
}

TEST_CASE("sm_100a: gradients by tcgen05, bands and biases")
{
    using kernels = tcgen05_backward_for<target, bfloat16, 128, 128,
                                         attention_variant<attention_mask::band, attention_bias::tensor>>;
    check_attention_gradients<kernels>({1, 1, 1, 257, 257, 128, 128, {-1, 0}, true});
    check_attention_gradients<kernels>({2, 2, 1, 65, 40, 128, 128, {-1, 0}}); // queries that see nothing
    attention_gradient_case shared{1, 2, 1, 65, 140, 72, 128, {10, 3, attention_diagonal::top_left, 5}};
    shared.bias = attention_gradient_case::repeats::batch_and_queries;
    check_attention_gradients<kernels>(shared);
}

TEST_CASE("sm_100a: gradients by tcgen05 of changed scores")
{
    using variant = attention_variant<attention_mask::boolean, attention_bias::none, attention_weights::dropped>;
    using kernels = tcgen05_backward_for<target, half, 64, 128, variant, half, capped_score>;
    attention_gradient_case c{1, 2, 1, 70, 190, 64, 104};
    c.heads_inside = true;
    check_attention_gradients<kernels>(c, capped_score{1.5f}, 0.3);
}
