#include "test/kernel/attention_fp8.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("gfx942: attention of fp8", "[attention]") { check_fp8<arch::gfx942, float8_e4m3_fnuz>(); }

TEST_CASE("gfx1201: attention of fp8", "[attention]") { check_fp8<arch::gfx1201, float8_e4m3>(); }
