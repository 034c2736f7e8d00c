// Random attentions, forward and backward, on CDNA: see random_problems.hpp.

#include "test/kernel/attention/random_problems.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("gfx90a: random attentions", "[attention]") { check_random_attentions_of<arch::gfx90a, half>(1000, 25); }

TEST_CASE("gfx942: random attentions", "[attention]") { check_random_attentions_of<arch::gfx942, bfloat16>(1100, 25); }

TEST_CASE("gfx950: random attentions", "[attention]") { check_random_attentions_of<arch::gfx950, half>(1200, 25); }

TEST_CASE("gfx942: random attentions, gradients in five products", "[attention]")
{
    using target = arch::gfx942;
    check_random_attentions<
        attention_kernel<attention_tile_for<target, half, 64, 64, random_variant>, half, random_variant>,
        attention_fused_backward_for<target, half, 64, 64, random_variant>>(2950, 25);
}
