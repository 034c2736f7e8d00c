// Changes of distribution through shared memory.
#include "convert_checks.hpp"

TEMPLATE_TEST_CASE("tiles change their distribution through shared memory", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    check_both_ways<TestType, float, rows4<w>, columns8<w>>(2 * w);
    check_both_ways<TestType, std::uint16_t, rows4<w>, columns8<w>>(2 * w);
    check_both_ways<TestType, std::uint8_t, rows4<w>, columns8<w>>(2 * w);
    check_both_ways<TestType, float, odd_pairs<w>, odd_pairs_other<w>>(3 * w);
    check_both_ways<TestType, triple, cube_a<w>, cube_b<w>>(2 * w);
    check_both_ways<TestType, double, line_blocked<w>, line_cyclic<w>>(2 * w);
}

TEMPLATE_TEST_CASE("of copies one is written and all are read", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    check_both_ways<TestType, float, rows4<w>, in_every_wave<w>>(2 * w);
    check_both_ways<TestType, float, in_every_wave<w>, replicated_lanes<w>>(2 * w);
}
