// contract() of more random tiles.
#include "test/mma/contract.hpp"

using namespace tegula::test;

namespace {
template <class Target, class T, int... Seeds>
void check_seeds(std::integer_sequence<int, Seeds...>)
{
    (check_random_factors<Target, T, Seeds>(), ...);
    (check_random_result<Target, T, Seeds>(), ...);
}
} // namespace

TEST_CASE("products of many random tiles on gfx942", "[.full]")
{
    check_seeds<arch::gfx942, half>(std::integer_sequence<int, 14, 15, 18, 25, 33, 34, 58>{});
    check_seeds<arch::gfx942, float>(std::integer_sequence<int, 16, 25>{});
}
TEST_CASE("products of many random tiles on gfx1100", "[.full]")
{
    check_seeds<arch::gfx1100, half>(std::integer_sequence<int, 15, 16, 18, 25, 31, 34, 58>{});
}
TEST_CASE("products of many random tiles on sm_80", "[.full]")
{
    check_seeds<arch::sm_80, bfloat16>(std::integer_sequence<int, 15, 16, 18, 25, 33, 34, 58>{});
}
