// Layouts in shared memory that are not affine, used by windows like any other: found for two distributions, and the
// hardware's swizzle modes.
#include "support.hpp"

#include <tegula/layout/panel_layout.hpp>

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
    static constexpr panel_layout_value layout{64, 64, 16, Mode};
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

/// Lanes whose fastest digit is 3, and lanes of which every other one is a replica.
using by_threes =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<32, 3>, sequence<8>>, tuple<sequence<1, 1>>,
                                                 tuple<sequence<0, 1>>, sequence<2>, sequence<0>>>;
using replicated = tile_distribution<
    tile_distribution_encoding<sequence<2>, tuple<sequence<4, 16>, sequence<4, 4>>, tuple<sequence<1>, sequence<1, 0>>,
                               tuple<sequence<0>, sequence<1, 0>>, sequence<2, 2>, sequence<0, 1>>>;

template <class Distribution>
void check_lanes_of_wave()
{
    static constexpr wave_accesses w = make_wave_accesses<Distribution, 8>(target::chip(), access_kind::load);
    int wrong = 0;
    for (int lane = 0; lane < 32; ++lane) {
        multi_index<Distribution::num_p> p{};
        p[Distribution::num_p - 1] = lane;
        const auto x = Distribution::origin(p);
        wrong += w.origins[lane][0] != x[0] || w.origins[lane][1] != x[1];
    }
    CHECK(wrong == 0);
}

/// Layouts of the search that are called free and that count no extra cycles; the same ones.
template <class Distribution>
int count_free_layouts(const chip_info& chip, access_kind kind, int element_bits)
{
    static constexpr wave_accesses loads = make_wave_accesses<Distribution, 8>(target::chip(), access_kind::load);
    wave_accesses w = loads;
    w.kind = kind;
    const bank_rule rule = detail::bank_rule_of(chip, w, element_bits);
    int count = 0, wrong = 0;
    detail::search_layouts({64, 64, 64, element_bits}, [&](const shared_layout_value& layout) {
        const bool free = detail::is_free(rule, layout, w, 0);
        wrong += free != (detail::count_conflicts(rule, layout, w, 0) == 0);
        wrong += count_conflicts(chip, layout, w) != count_conflicts(chip, layout, w, free);
        count += free;
        return false;
    });
    CHECK(wrong == 0);
    return count;
}

} // namespace

TEST_CASE("lanes of a wave at compile time are where the distribution has them", "[tensor]")
{
    check_lanes_of_wave<by_rows>();
    check_lanes_of_wave<by_columns>();
    check_lanes_of_wave<by_threes>();
    check_lanes_of_wave<replicated>();
}

TEST_CASE("a layout is free of conflicts where none are counted", "[tensor]")
{
    int free = 0;
    for (const chip_info& chip : {arch::sm_80::chip(), arch::gfx942::chip(), arch::gfx1100::chip()})
        for (access_kind kind : {access_kind::load, access_kind::store})
            for (int bits : {8, 16}) {
                free += count_free_layouts<by_rows>(chip, kind, bits);
                free += count_free_layouts<by_columns>(chip, kind, bits);
                free += count_free_layouts<replicated>(chip, kind, bits);
            }
    CHECK(free > 0);
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
