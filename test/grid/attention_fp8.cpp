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
