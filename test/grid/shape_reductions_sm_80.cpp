#include "test/kernel/reduction/shape_reductions.hpp"

using namespace tegula;
using target = arch::sm_80;
using element = float;

TEST_CASE("reductions of any shape on sm_80") { test::check_reductions<target, element>(); }
TEST_CASE("reductions of NaN, infinities and zeros on sm_80") { test::check_special_reductions<target, element>(); }
TEST_CASE("reductions read whole sectors once on sm_80") { test::check_reduction_traffic<target, element>(); }
TEST_CASE("the smallest integer has no negative, and unsigned ones wrap")
{
    const arg_reducer<std::uint32_t> of_words{true};
    CHECK(of_words.combine(of_words.lift(5, 0), of_words.lift(0, 1)).position == 1);
    const arg_reducer<std::int32_t> of_ints{true};
    CHECK(of_ints.combine(of_ints.lift(0, 0), of_ints.lift(INT32_MIN, 1)).position == 1);
    CHECK(of_ints.combine(of_ints.lift(INT32_MAX, 0), of_ints.identity()).position == 0);
}
TEST_CASE("scans of any shape on sm_80") { test::check_scans<target, element>(); }
TEST_CASE("top-k of any shape on sm_80") { test::check_topks<target, element>(); }
