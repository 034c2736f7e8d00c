#include "test/kernel/attention/latent.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("gfx942: latent attention", "[attention]")
{
    check_latent<latent_attention_tile_for<arch::gfx942, bfloat16>>();
}

TEST_CASE("gfx942: values of more than 256 columns, keys of fewer", "[attention]")
{
    using tile = attention_tile_for<arch::gfx942, bfloat16, 96, 304>;
    static_assert(std::is_same_v<tile, attention_tile_for<arch::gfx942, bfloat16, 576, 512>>);
    check_attention(attention_data<attention_kernel<tile, float>>(70, 65, 2, 1, 1, 96, 304));
}

TEST_CASE("sm_90a: latent attention by wgmma", "[attention]")
{
    using kernel = latent_by_wgmma<bfloat16, latent_pages>;
    check_latent_pages<kernel>();
    check_rising_references<kernel>();
}
