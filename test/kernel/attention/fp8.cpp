#include "test/kernel/attention/fp8.hpp"

using namespace tegula;
using namespace tegula::test;

static_assert(
    std::is_same_v<attention_tile_for<arch::sm_89, float8_e4m3, 24>, attention_tile_for<arch::sm_89, float8_e4m3, 64>>);

TEST_CASE("gfx942: attention of fp8", "[attention]") { check_fp8<arch::gfx942, float8_e4m3_fnuz>(); }
