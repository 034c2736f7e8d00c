#include "test/kernel/attention/append/append.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("gfx1201: keys and values appended to a cache", "[attention]") { check_appending<arch::gfx1201>(); }

TEST_CASE("sm_80: keys and values appended to a cache", "[attention]") { check_appending<arch::sm_80>(); }

TEST_CASE("bf16 rows of 256 columns appended", "[attention]")
{
    append_data<bfloat16> data({17, 0}, 5, 2, 1, 192, 256, 32, 16);
    data.embed(192, false);
    check_append<append_kernel<arch::sm_90a, bfloat16, 256>>(data);
}
