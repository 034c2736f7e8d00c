// Changes of distribution by renaming, in chunks, and inside a wave.
#include "convert_checks.hpp"

TEMPLATE_TEST_CASE("registers are renamed where every lane has its elements", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    static_assert(conversion_scratch_bytes<TestType, float, rows4<w>, rows4_reordered<w>> == 0);
    const auto counted = check_convert<TestType, float, rows4<w>, rows4_reordered<w>, 0>(2 * w);
    CHECK(counted.shared_stores == 0);
    CHECK(counted.barriers == 0);
}

TEMPLATE_TEST_CASE("with little scratch memory a tile passes in chunks", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    // 64 bytes a row: chunks of 100 elements, the last shorter; then of two rows.
    const auto counted = check_convert<TestType, float, rows4<w>, columns8<w>, 400>(2 * w);
    CHECK(counted.barriers == 2 * 2 * ((16 * w + 99) / 100));
    check_convert<TestType, float, rows4<w>, columns8<w>, 128>(2 * w);
    check_convert<TestType, float, columns8<w>, rows4<w>, 1024>(2 * w);
    check_convert<TestType, double, line_blocked<w>, line_cyclic<w>, 1000>(2 * w);
    check_convert<TestType, triple, cube_a<w>, cube_b<w>, w * 8 * 12>(2 * w);
}

TEMPLATE_TEST_CASE("tiles of one wave stay in it", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    static_assert(conversion_scratch_bytes<TestType, float, wave_rows<w>, wave_patches<w>> == 0);
    const auto shuffled = check_convert<TestType, float, wave_rows<w>, wave_patches<w>, 0>(3 * w);
    CHECK(shuffled.shared_stores == 0);
    CHECK(shuffled.shuffles > 0);
    constexpr index_t bytes = conversion_scratch_bytes<TestType, float, wave_rows<w>, wave_patches<w>, true>;
    const auto counted = check_convert<TestType, float, wave_rows<w>, wave_patches<w>, bytes, true>(3 * w, true);
    CHECK(counted.barriers == 0);
    CHECK(counted.shared_stores > 0);
    check_both_ways<TestType, float, wave_rows<w>, two_wave_rows<w>>(2 * w);
}

TEMPLATE_TEST_CASE("of copies the one in the own wave and lane is taken", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    using in_every_wave = tile_distribution<
        tile_distribution_encoding<sequence<2>, tuple<sequence<w>, sequence<2, 4>>, tuple<sequence<0>, sequence<1>>,
                                   tuple<sequence<0>, sequence<0>>, sequence<2, 2>, sequence<0, 1>>>;
    const auto by_wave = check_convert<TestType, float, in_every_wave, two_wave_rows<w>, 0>(2 * w);
    CHECK(by_wave.shared_stores + by_wave.shuffles == 0);
    using in_both_halves = tile_distribution<
        tile_distribution_encoding<sequence<2>, tuple<sequence<w / 2>, sequence<2, 4>>, tuple<sequence<0, 1>>,
                                   tuple<sequence<0, 0>>, sequence<2, 2>, sequence<0, 1>>>;
    using half_each = tile_distribution<
        tile_distribution_encoding<sequence<>, tuple<sequence<w / 2>, sequence<2, 4>>, tuple<sequence<2, 1>>,
                                   tuple<sequence<0, 0>>, sequence<2>, sequence<1>>>;
    const auto by_lane = check_convert<TestType, float, in_both_halves, half_each, 0>(w);
    CHECK(by_lane.shared_stores + by_lane.shuffles == 0);
}

TEST_CASE("blocked and cyclic threes are exchanged in the wave", "[tensor]")
{
    using blocked = tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<64, 3>>, tuple<sequence<1>>,
                                                                 tuple<sequence<0>>, sequence<1>, sequence<1>>>;
    using cyclic = tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<3, 64>>, tuple<sequence<1>>,
                                                                tuple<sequence<1>>, sequence<1>, sequence<0>>>;
    const auto counted = check_convert<arch::gfx942, float, blocked, cyclic, 0>(64);
    CHECK(counted.shared_stores == 0);
    CHECK(counted.shuffles > 0);
    check_convert<arch::gfx942, float, cyclic, blocked, 0>(64);
}

TEST_CASE("the layout in shared memory is free of conflicts where it can be", "[tensor]")
{
    constexpr index_t bytes = conversion_scratch_bytes<arch::sm_80, float, rows4<32>, columns8<32>>;
    const auto counted = check_convert<arch::sm_80, float, rows4<32>, columns8<32>, bytes>(64);
    CHECK(counted.shared_store_conflicts == 0);
    CHECK(counted.shared_load_conflicts == 0);
}

namespace {

template <class Target, index_t Rows, index_t Columns>
void check_turned_without_conflicts()
{
    using rows = coalesced<Target, float, Rows, Columns, 4>;
    using columns = coalesced<Target, float, Rows, Columns, 4, contiguous::rows>;
    constexpr conversion_plan plan = detail::conversion_of<Target, float, rows, columns, false, detail::no_limit>::plan;
    CHECK(plan.staging.store.conflicts + plan.staging.load.conflicts == 0);
    CHECK(plan.staging.store.vector * plan.staging.load.vector >= 4);
    check_convert<Target, float, rows, columns, static_cast<index_t>(plan.staging.bytes())>(4 * Target::wave_size);
}

} // namespace

TEST_CASE("tiles of lengths that are no powers of two turn without conflicts", "[tensor]")
{
    check_turned_without_conflicts<arch::sm_80, 96, 96>();
    check_turned_without_conflicts<arch::gfx942, 192, 64>();
}
