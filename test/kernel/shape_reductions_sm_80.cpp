#include "test/kernel/shape_reductions.hpp"

using namespace tegula;
using target = arch::sm_80;
using element = float;

TEST_CASE("reductions of any shape on sm_80") { test::check_reductions<target, element>(); }
TEST_CASE("reductions of NaN, infinities and zeros on sm_80") { test::check_special_reductions<target, element>(); }
TEST_CASE("reductions read whole sectors once on sm_80") { test::check_reduction_traffic<target, element>(); }
TEST_CASE("scans of any shape on sm_80") { test::check_scans<target, element>(); }
TEST_CASE("top-k of any shape on sm_80") { test::check_topks<target, element>(); }
