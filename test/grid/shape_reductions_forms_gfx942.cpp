#include "test/kernel/reduction/shape_reductions.hpp"

using namespace tegula;
using target = arch::gfx942;
using element = half;

TEST_CASE("reductions of NaN, infinities and zeros on gfx942") { test::check_special_reductions<target, element>(); }

TEST_CASE("scans of any shape on gfx942") { test::check_scans<target, element>(); }
