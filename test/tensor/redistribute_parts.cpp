// Changes of distribution by renaming, in strips, and inside a wave.
#include "redistribute_checks.hpp"

TEMPLATE_TEST_CASE("registers are renamed where every lane has its elements", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    static_assert(!same_lanes<rows4<w>, columns8<w>>);
    static_assert(same_lanes<rows4<w>, rows4_reordered<w>>);
    static_assert(redistribute_scratch_bytes<TestType, float, rows4<w>, rows4_reordered<w>> == 0);
    const auto counted = check_redistribute<TestType, float, rows4<w>, rows4_reordered<w>, 0>(2 * w);
    CHECK(counted.shared_stores == 0);
    CHECK(counted.barriers == 0);
}

TEMPLATE_TEST_CASE("with little scratch memory a tile passes in strips", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    // 64 bytes a row: strips of 6 rows, the last shorter; then of two.
    const auto counted = check_redistribute<TestType, float, rows4<w>, columns8<w>, 400>(2 * w);
    CHECK(counted.barriers == 2 * 2 * ((w + 5) / 6));
    check_redistribute<TestType, float, rows4<w>, columns8<w>, 128>(2 * w);
    check_redistribute<TestType, float, columns8<w>, rows4<w>, 1024>(2 * w);
    check_redistribute<TestType, double, line_blocked<w>, line_cyclic<w>, 1000>(2 * w);
    check_redistribute<TestType, triple, cube_a<w>, cube_b<w>, w * 8 * 12>(2 * w);
}

TEMPLATE_TEST_CASE("tiles of one wave stay in it", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    constexpr index_t bytes = redistribute_scratch_bytes<TestType, float, wave_rows<w>, wave_patches<w>>;
    const auto counted = check_redistribute<TestType, float, wave_rows<w>, wave_patches<w>, bytes>(3 * w, true);
    CHECK(counted.barriers == 0);
    check_both_ways<TestType, float, wave_rows<w>, two_wave_rows<w>>(2 * w);
}

TEST_CASE("the layout in shared memory is free of conflicts where it can be", "[tensor]")
{
    constexpr index_t bytes = redistribute_scratch_bytes<arch::sm_80, float, rows4<32>, columns8<32>>;
    const auto counted = check_redistribute<arch::sm_80, float, rows4<32>, columns8<32>, bytes>(64);
    CHECK(counted.shared_store_conflicts == 0);
    CHECK(counted.shared_load_conflicts == 0);
}
