/// Gradients of attention on gfx942: every mask, bias and change of scores.

#include <tegula/kernel/attention/backward/tiles.hpp>

#include "test/kernel/attention_backward.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {
using target = arch::gfx942;
}

TEST_CASE("attention backward on gfx942: lengths")
{
    using kernels = attention_backward_for<target, half, 64>;
    check_attention_gradients<kernels>({1, 1, 1, 1, 1});
    check_attention_gradients<kernels>({1, 2, 1, 3, 65, 40, 56});
    check_attention_gradients<kernels>({2, 4, 2, 65, 127, 64, 64, {}, true});
    check_attention_gradients<kernels>({1, 1, 1, 64, 64});
    attention_gradient_case ragged{3, 2, 1, 70, 40};
    ragged.query_offsets = {0, 70, 70, 73};
    ragged.key_offsets = {0, 1, 30, 70};
    ragged.heads_inside = true;
    check_attention_gradients<kernels>(ragged);
    attention_gradient_case padded{2, 2, 2, 5, 140};
    padded.key_lengths = {3, 0};
    check_attention_gradients<kernels>(padded);
}

TEST_CASE("attention backward on gfx942: bands and biases")
{
    using kernels = attention_backward_for<target, bfloat16, 128, 128,
                                           attention_variant<attention_mask::band, attention_bias::tensor>>;
    check_attention_gradients<kernels>({1, 1, 1, 127, 127, 128, 128, {-1, 0}, true});
    check_attention_gradients<kernels>({2, 2, 1, 65, 40, 128, 128, {-1, 0}}); // queries that see nothing
    attention_gradient_case shared{1, 2, 1, 65, 140, 72, 128, {10, 3, attention_diagonal::top_left, 5}};
    shared.shared_bias = true;
    check_attention_gradients<kernels>(shared);
}

TEST_CASE("attention backward on gfx942: changed scores, dropout")
{
    using kernels = attention_backward_for<target, half, 64, 64,
                                           attention_variant<attention_mask::boolean, attention_bias::alibi, true>,
                                           half, capped_score>;
    check_attention_gradients<kernels, capped_score>({1, 2, 1, 65, 70, 64, 64, {30, 40}, true}, {1.5f}, 0.25);
}
