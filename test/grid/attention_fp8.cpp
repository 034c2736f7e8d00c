#include "test/kernel/attention/fp8.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("gfx1201: attention of fp8", "[attention]") { check_fp8<arch::gfx1201, float8_e4m3>(); }

TEST_CASE("sm_89: attention of fp8", "[attention]") { check_fp8<arch::sm_89, float8_e4m3>(); }

TEST_CASE("sm_90a: attention of e5m2, of wide values", "[attention]")
{
    using kernel = attention_kernel<attention_tile_for<arch::sm_90a, float8_e5m2, 64, 256>, bfloat16>;
    check_attention(attention_data<kernel>(129, 100, 1, 1, 1, 64, 208));
}

TEST_CASE("gfx942: attention of fp8, 256 columns, split keys", "[attention]")
{
    using kernel = attention_split_kernel<decoding_tile_for<arch::gfx942, float8_e4m3_fnuz, 256>, float>;
    attention_data<kernel> data(5, 300, 2, 1, 2, 256, 208);
    const random_scales k(2, 1, 5, 2), v(2, 1, 5, 3);
    data.args.k_scale = k.of(1, 5, 64);
    data.args.v_scale = v.of(1, 5, 64);
    check_split_attention(data, 3);
}
