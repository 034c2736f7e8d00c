#include "test/kernel/attention/latent.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("latent attention, values of their own in shared memory", "[attention][.full]")
{
    check_latent<attention_tile_for<arch::sm_80, half, 576, 512>>();
    check_latent<attention_tile_for<arch::sm_89, bfloat16, 576, 512>>();
}

TEST_CASE("latent attention on other targets", "[attention][.full]")
{
    check_latent<latent_attention_tile_for<arch::sm_90a, bfloat16>>();
    check_latent<latent_attention_tile_for<arch::gfx90a, half>>();
    check_latent<latent_attention_tile_for<arch::gfx950, half>>();
    check_latent<latent_attention_tile_for<arch::sm_89, half>>();
    check_latent<latent_attention_tile_for<arch::gfx1100, bfloat16>>();
    check_latent<latent_attention_tile_for<arch::gfx1201, half>>();
    check_latent<latent_attention_tile_for<arch::sm_100a, bfloat16>>();
    check_latent<latent_attention_tile_for<arch::sm_120a, half>>();
}

TEST_CASE("sm_80: latent attention", "[attention]")
{
    check_latent<latent_attention_tile_for<arch::sm_80, bfloat16>>();
}
