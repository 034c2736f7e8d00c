// Changes of distribution that copy 8x8 matrices: ldmatrix and stmatrix.
#include "convert_checks.hpp"

#include <tegula/reference/run_conversion.hpp>

namespace {

template <class Hs, class PsMajor, class PsMinor, class YsMajor, class YsMinor>
using distribution = tile_distribution<tile_distribution_encoding<sequence<>, Hs, PsMajor, PsMinor, YsMajor, YsMinor>>;

// [16, 16] of one wave: eight neighbours of a row a lane; C of two mma.sync m16n8k16, which is A of one; B of two.
using rows = distribution<tuple<sequence<16>, sequence<2, 8>>, tuple<sequence<1, 2>>, tuple<sequence<0, 0>>,
                          sequence<2>, sequence<1>>;
using operand_a = distribution<tuple<sequence<2, 8>, sequence<2, 4, 2>>, tuple<sequence<1, 2>>, tuple<sequence<1, 1>>,
                               sequence<2, 1, 2>, sequence<0, 0, 2>>;
using operand_b = distribution<tuple<sequence<2, 4, 2>, sequence<2, 8>>, tuple<sequence<2, 1>>, tuple<sequence<1, 1>>,
                               sequence<2, 1, 1>, sequence<0, 0, 2>>;
// [16, 8]: four neighbours of a row a lane, B of one instruction.
using half_rows = distribution<tuple<sequence<16>, sequence<2, 4>>, tuple<sequence<1, 2>>, tuple<sequence<0, 0>>,
                               sequence<2>, sequence<1>>;
using one_b = distribution<tuple<sequence<2, 4, 2>, sequence<8>>, tuple<sequence<2, 1>>, tuple<sequence<0, 1>>,
                           sequence<1, 1>, sequence<0, 2>>;

struct copied
{
    int matrices;
    bool transposed;
    friend bool operator==(const copied&, const copied&) = default;
};

/// Plans and runs the change on the emulator; the plan's conflicts are those counted, of two runs.
template <class Target, class Source, class Destination>
void check_copies(copied store, copied load, int stores, int loads)
{
    constexpr conversion_limits forced{true};
    static constexpr conversion_plan plan =
        plan_conversion(Target::chip(), Source::value, Destination::value, 16, forced);
    CHECK(copied{plan.staging.store.matrices, plan.staging.store.transposed} == store);
    CHECK(copied{plan.staging.load.matrices, plan.staging.load.transposed} == load);
    CHECK(plan.staging.store.conflicts == 0);
    CHECK(plan.staging.load.conflicts == 0);
    CHECK(count_wrong_elements(plan, {16, static_cast<long_index_t>(plan.sides.source.registers) * 2}) == 0);
    const emulator::counters counted = check_convert<Target, std::uint16_t, Source, Destination, 512, true>(32);
    CHECK(counted.shared_store_conflicts == 0);
    CHECK(counted.shared_load_conflicts == 0);
    CHECK(counted.shared_stores == 2 * stores);
    CHECK(counted.shared_loads == 2 * loads);
}

} // namespace

TEST_CASE("tiles come to the operands of matrix instructions by ldmatrix", "[tensor]")
{
    check_copies<arch::sm_80, rows, operand_a>({0, false}, {4, false}, 1, 1);
    check_copies<arch::sm_80, rows, operand_b>({0, false}, {4, true}, 1, 1);
    check_copies<arch::sm_80, half_rows, one_b>({0, false}, {2, true}, 1, 1);
}

TEST_CASE("results of matrix instructions become rows by stmatrix", "[tensor]")
{
    check_copies<arch::sm_90a, operand_a, rows>({4, false}, {0, false}, 1, 1);
    check_copies<arch::sm_90a, operand_b, rows>({4, true}, {0, false}, 1, 1);
    // Without it, pairs are written.
    constexpr conversion_plan before =
        plan_conversion(chip::sm_80, operand_a::value, rows::value, 16, conversion_limits{true});
    CHECK(before.staging.store.matrices == 0);
}

TEST_CASE("both sides copy matrices of the same rows", "[tensor]")
{
    check_copies<arch::sm_90a, operand_a, operand_b>({4, false}, {4, true}, 1, 1);
}

namespace {

// [32, 16] of one wave of 64: eight neighbours of a row a lane; and a column of 4 or 8 rows a lane, as B of a product
// of k rows has it.
using wide_rows = distribution<tuple<sequence<32>, sequence<2, 8>>, tuple<sequence<1, 2>>, tuple<sequence<0, 0>>,
                               sequence<2>, sequence<1>>;
using columns = distribution<tuple<sequence<2, 4, 4>, sequence<16>>, tuple<sequence<1, 2>>, tuple<sequence<1, 0>>,
                             sequence<1, 1>, sequence<0, 2>>;
using long_columns = distribution<tuple<sequence<4, 8>, sequence<16>>, tuple<sequence<1, 2>>, tuple<sequence<0, 0>>,
                                  sequence<1>, sequence<1>>;

template <class Destination>
void check_column_read()
{
    constexpr conversion_limits forced{true};
    static constexpr conversion_plan plan =
        plan_conversion(chip::gfx950, wide_rows::value, Destination::value, 16, forced);
    CHECK(plan.staging.load.reads_columns);
    CHECK(count_wrong_elements(plan, {32, 16}) == 0);
    const emulator::counters counted =
        check_convert<arch::gfx950, std::uint16_t, wide_rows, Destination, 1024, true>(64);
    CHECK(counted.shared_loads == 2 * 2);
    CHECK(counted.shared_load_conflicts == 2 * plan.staging.load.conflicts);
    CHECK(counted.shared_store_conflicts == 2 * plan.staging.store.conflicts);
    // A chip without it reads elements one by one.
    constexpr conversion_plan before = plan_conversion(chip::gfx942, wide_rows::value, Destination::value, 16, forced);
    CHECK_FALSE(before.staging.load.reads_columns);
    CHECK(before.staging.load.vector < 4);
}

} // namespace

TEST_CASE("gfx950 reads columns by its transposing load", "[tensor]")
{
    check_column_read<columns>();
    check_column_read<long_columns>();
}
