#include "test/kernel/reduction/shape_reductions.hpp"

using namespace tegula;
using target = arch::gfx942;
using element = half;

TEST_CASE("reductions of any shape on gfx942") { test::check_reductions<target, element>(); }

TEST_CASE("reductions read whole sectors once on gfx942") { test::check_reduction_traffic<target, element>(); }

TEST_CASE("top-k of any shape on gfx942") { test::check_topks<target, element>(); }
