// Layouts in shared memory that are not affine, used by windows like any other: found for two distributions, and the
// hardware's swizzle modes.
#include "support.hpp"

#include <tegula/layout/shared/tma_swizzled_layout.hpp>

namespace {

using target = arch::sm_80;

// [64, 64] of 16 bits over four waves: written in rows, read with lanes down the rows.
using by_rows = tile_distribution<
    tile_distribution_encoding<sequence<>, tuple<sequence<4, 4, 4>, sequence<8, 8>>, tuple<sequence<1>, sequence<1, 2>>,
                               tuple<sequence<0>, sequence<2, 0>>, sequence<1, 2>, sequence<1, 1>>>;
using by_columns = tile_distribution<
    tile_distribution_encoding<sequence<>, tuple<sequence<2, 32>, sequence<4, 2, 8>>, tuple<sequence<2>, sequence<1>>,
                               tuple<sequence<0>, sequence<1>>, sequence<1, 2, 2>, sequence<0, 1, 2>>>;

using found = make_shared_layout<by_rows, by_columns, std::uint16_t, target>;
static_assert(found::conflict_free && found::store_conflicts == 0 && found::load_conflicts == 0);
static_assert(found::layout.mask != 0 && found::bytes == 64 * 64 * 2);

struct plain
{
    static constexpr shared_layout_value layout{64, 64, 64, 16};
};
struct padded
{
    static constexpr shared_layout_value layout{64, 64, 72, 16};
};
template <swizzle_mode Mode>
struct hardware
{
    static constexpr tma_swizzled_layout_value layout{64, 64, 16, Mode};
};

/// Writes the tile through one window, reads it through another, compares all elements.
template <class Descriptor>
emulator::counters check_layout()
{
    constexpr int n = by_columns::num_registers;
    std::vector<std::uint16_t> got(static_cast<std::size_t>(128 * n));
    const auto counted = run_on<target>(128, Descriptor::element_space_size() * 2, {}, [&] {
        const auto view = make_tensor_view<target, address_space::shared>(
            reinterpret_cast<std::uint16_t*>(target::shared_memory()), Descriptor{}, "tile");
        distributed_tensor<std::uint16_t, by_rows> tile;
        sweep<target>(tile, [](std::uint16_t& e, const auto& x) { e = static_cast<std::uint16_t>(x[0] * 64 + x[1]); });
        store(make_tile_window<by_rows>(view, {0, 0}), tile);
        target::block_barrier();
        const auto read = load(make_tile_window<by_columns>(view, {0, 0}));
        for (int r = 0; r < n; ++r)
            got[static_cast<std::size_t>(target::thread_id() * n + r)] = read[r];
    });
    int wrong = 0;
    for (int t = 0; t < 128; ++t)
        for (int r = 0; r < n; ++r) {
            const auto x = element_held<target, by_columns>(t, r);
            wrong += got[static_cast<std::size_t>(t * n + r)] != x[0] * 64 + x[1];
        }
    CHECK(wrong == 0);
    CHECK(counted.shared_loads == 4 * 4); // 16 bytes an access
    return counted;
}

/// As by_rows, for waves of 64 lanes.
using by_long_rows = tile_distribution<
    tile_distribution_encoding<sequence<>, tuple<sequence<4, 2, 8>, sequence<8, 8>>, tuple<sequence<1>, sequence<1, 2>>,
                               tuple<sequence<0>, sequence<2, 0>>, sequence<1, 2>, sequence<1, 1>>>;

/// Lanes whose fastest digit is 3, lanes of which every other one is a replica, and both.
using by_threes =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<32, 3>, sequence<8>>, tuple<sequence<1, 1>>,
                                                 tuple<sequence<0, 1>>, sequence<2>, sequence<0>>>;
using replicated = tile_distribution<
    tile_distribution_encoding<sequence<2>, tuple<sequence<4, 16>, sequence<4, 4>>, tuple<sequence<1>, sequence<1, 0>>,
                               tuple<sequence<0>, sequence<1, 0>>, sequence<2, 2>, sequence<0, 1>>>;
using by_384_threads = tile_distribution<
    tile_distribution_encoding<sequence<2>, tuple<sequence<4, 3>, sequence<16, 3>>, tuple<sequence<1, 1, 2, 0>>,
                               tuple<sequence<0, 1, 0, 0>>, sequence<2>, sequence<1>>>;

template <class Target, class Distribution, int Limit = 8>
constexpr wave_accesses loads = make_wave_accesses<Distribution, Limit>(Target::chip(), access_kind::load);

template <class Target, class... Distributions>
void check_lanes_of_wave()
{
    int wrong = 0;
    const auto check = [&]<class Distribution>(const Distribution&) {
        for (int lane = 0; lane < Target::wave_size; ++lane) {
            multi_index<Distribution::num_p> p{};
            p[Distribution::num_p - 1] = lane;
            const auto x = Distribution::origin(p);
            const auto& origin = loads<Target, Distribution>.origins[lane];
            wrong += origin[0] != x[0] || origin[1] != x[1];
        }
    };
    (check(Distributions{}), ...);
    CHECK(wrong == 0);
}

/// Counts the layouts of the search that are called free. These must be the ones without extra cycles.
int count_free_layouts(const chip_info& chip, const wave_accesses& w, int element_bits)
{
    const bank_rule rule = detail::bank_rule_of(chip, w, element_bits);
    int count = 0, wrong = 0;
    detail::search_layouts({64, 64, 64, element_bits}, [&](const shared_layout_value& layout) {
        const bool free = detail::is_free(rule, layout, w, 0);
        wrong += free != (detail::count_conflicts(rule, layout, w, 0) == 0);
        const int all = count_conflicts(chip, layout, w);
        wrong += all != detail::count_conflicts(chip, layout, w, free) || (all == 0 && !free);
        count += free;
        return false;
    });
    CHECK(wrong == 0);
    return count;
}

/// Counts the free layouts for loads and stores of 1 to 16 bytes.
template <class Target, class... Distributions>
int count_free_layouts()
{
    int free = 0;
    for (access_kind kind : {access_kind::load, access_kind::store}) {
        const auto count = [&](wave_accesses w, int element_bits) {
            w.kind = kind;
            free += count_free_layouts(Target::chip(), w, element_bits);
        };
        for (int bits : {8, 16}) {
            (count(loads<Target, Distributions, 1>, bits), ...);
            (count(loads<Target, Distributions, 2>, bits), ...);
            (count(loads<Target, Distributions, 8>, bits), ...);
        }
        wave_accesses of_12_bytes = loads<Target, by_384_threads>;
        of_12_bytes.vector = 3;
        count(of_12_bytes, 32);
    }
    return free;
}

} // namespace

TEST_CASE("lanes of a wave at compile time are where the distribution has them", "[tensor]")
{
    check_lanes_of_wave<arch::sm_80, by_rows, by_columns, by_threes, replicated, by_384_threads>();
    check_lanes_of_wave<arch::gfx942, by_long_rows, by_threes, by_384_threads>();
}

TEST_CASE("a layout is free of conflicts where none are counted", "[tensor]")
{
    CHECK(count_free_layouts<arch::sm_80, by_rows, by_columns, by_threes, replicated>() > 0);
    CHECK(count_free_layouts<arch::gfx942, by_long_rows, by_threes, by_384_threads>() > 0);
    CHECK(count_free_layouts<arch::gfx950, by_long_rows, by_threes, by_384_threads>() > 0);
}

TEST_CASE("windows go through layouts that are not affine", "[tensor]")
{
    CHECK(check_layout<shared_descriptor<plain>>().shared_load_conflicts > 0);
    for (const auto& counted : {check_layout<found::descriptor>(), check_layout<shared_descriptor<padded>>(),
                                check_layout<shared_descriptor<hardware<swizzle_mode::bytes_128>>>()}) {
        CHECK(counted.shared_store_conflicts == 0);
        CHECK(counted.shared_load_conflicts == 0);
    }
    check_layout<shared_descriptor<hardware<swizzle_mode::none>>>();
    check_layout<shared_descriptor<hardware<swizzle_mode::bytes_32>>>();
    check_layout<shared_descriptor<hardware<swizzle_mode::bytes_64>>>();
}
