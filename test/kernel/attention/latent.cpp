#include "test/kernel/attention/latent.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("gfx942: latent attention", "[attention]")
{
    check_latent<latent_attention_tile_for<arch::gfx942, bfloat16>>();
}

TEST_CASE("sm_80: latent attention", "[attention]")
{
    check_latent<latent_attention_tile_for<arch::sm_80, bfloat16>>();
}
