/// Gradients of attention by wgmma on the emulator: lengths, bands, grouped heads, changed scores.

#include <tegula/kernel/attention/backward/tiles.hpp>
#include <tegula/kernel/attention/warp_specialized/backward_kernels.hpp>

#include "test/kernel/attention/backward/backward.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::sm_90a;

TEST_CASE("sm_90a: gradients by wgmma, lengths")
{
    using kernels = warp_specialized_backward_for<target, half, 64>;
    check_attention_gradients<kernels>({1, 1, 1, 1, 1});
    check_attention_gradients<kernels>({1, 2, 1, 3, 65, 40, 56});
    attention_gradient_case ordered{2, 4, 2, 65, 127, 64, 64, {}, true};
    ordered.orders = {1, 2}; // gradients are the same from run to run
    check_attention_gradients<kernels>(ordered);
    check_attention_gradients<kernels>({1, 1, 1, 300, 140}); // five tiles: more than the ring has
    check_attention_gradients<kernels>({1, 2, 1, 0, 5});
    check_attention_gradients<kernels>({1, 2, 1, 5, 0});
    check_attention_gradients<kernels>({0, 2, 1, 5, 5});
}

TEST_CASE("sm_90a: gradients by wgmma, bands and biases")
{
    check_banded_gradients<warp_specialized_backward_for<target, bfloat16, 128, 128, banded_and_biased>>(257);
}

TEST_CASE("sm_90a: gradients by wgmma of wide heads, dK and dV of 64 keys by a consumer each")
{
    using banded = warp_specialized_backward_for<target, bfloat16, 256, 256, attention_variant<attention_mask::band>>;
    check_attention_gradients<banded>({1, 2, 1, 70, 130, 256, 256, {-1, 0}, true});
    check_attention_gradients<banded>({2, 1, 1, 65, 40, 200, 232, {-1, 0}}); // queries that see nothing
    check_attention_gradients<banded>({1, 2, 1, 5, 0, 256, 256});
    using latent = warp_specialized_backward_for<target, half, 192, 128>;
    check_attention_gradients<latent>({1, 2, 2, 150, 70, 192, 128, {}, true});
}

TEST_CASE("sm_90a: gradients by wgmma of changed scores")
{
    using variant = attention_variant<attention_mask::boolean, attention_bias::none, attention_weights::dropped>;
    using kernels = warp_specialized_backward_for<target, half, 64, 128, variant, half, capped_score>;
    attention_gradient_case c{1, 2, 1, 70, 190, 64, 104};
    c.heads_inside = true;
    check_attention_gradients<kernels>(c, capped_score{1.5f}, 0.3);
}
