#include "test/kernel/reduction/shape_reductions.hpp"

using namespace tegula;
using target = arch::gfx1100;
using element = bfloat16;

TEST_CASE("reductions of any shape on gfx1100") { test::check_reductions<target, element>(); }
TEST_CASE("reductions of NaN, infinities and zeros on gfx1100") { test::check_special_reductions<target, element>(); }
TEST_CASE("reductions read whole sectors once on gfx1100") { test::check_reduction_traffic<target, element>(); }
TEST_CASE("scans of any shape on gfx1100") { test::check_scans<target, element>(); }
TEST_CASE("top-k of any shape on gfx1100") { test::check_topks<target, element>(); }
