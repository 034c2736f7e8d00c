/// Gradients of attention on gfx942: lengths, changed scores, dropout, five products; the grid has bands and biases.

#include <tegula/kernel/attention/backward/tiles.hpp>

#include "test/kernel/attention/backward/backward.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {
using target = arch::gfx942;
}

TEST_CASE("attention backward on gfx942: lengths") { check_gradients_of_lengths<target>(); }

TEST_CASE("attention backward on gfx942: changed scores, dropout")
{
    using kernels = attention_backward_for<
        target, half, 64, 64,
        attention_variant<attention_mask::boolean, attention_bias::alibi, attention_weights::dropped>, half,
        capped_score>;
    check_attention_gradients<kernels, capped_score>({1, 2, 1, 65, 70, 64, 64, {30, 40}, true}, {1.5f}, 0.25);
}

TEST_CASE("attention backward on gfx942: five products")
{
    using kernels = attention_fused_backward_for<target, half, 64>;
    check_attention_gradients<kernels>({1, 2, 1, 70, 300, 64, 40, {}, true}); // blocks that share dQ
}
