// A tile of waves of atoms, as GEMM blocks multiply: a single 1 in A and in B gives a single 1 in C, for every pair of
// m, n and k of a slice.

#include "test/mma/emulation/one_hot.hpp"

#include <tegula/block/mma_tile.hpp>
#include <tegula/mma/choose.hpp>

namespace tegula::test {
namespace {

template <class Target, class Distribution, class T>
auto window_of(T* data, index_t columns)
{
    constexpr index_t rows = Distribution::x_length(0), width = Distribution::x_length(1);
    const auto layout = make_strided_descriptor(make_tuple(rows, width), make_tuple(columns, constant<1>{}),
                                                constant<16 / sizeof(T)>{});
    return make_tile_window<Distribution>(make_tensor_view<Target, address_space::global>(data, layout, "operand"),
                                          {0, 0});
}

template <class Tile>
void multiply_tile(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* c)
{
    using target = typename Tile::target;
    const auto left = load(window_of<target, typename Tile::a_distribution>(
        reinterpret_cast<const typename Tile::a_type*>(a), Tile::slice_k));
    const auto right = load(window_of<target, typename Tile::b_distribution>(
        reinterpret_cast<const typename Tile::b_type*>(b), Tile::slice_k));
    typename Tile::accumulators sums;
    sums.clear();
    Tile::multiply(sums, left, right);
    auto* to = reinterpret_cast<typename Tile::c_type*>(c);
    static_for<Tile::iterations_m>([&](auto i) {
        store(window_of<target, typename Tile::strip_distribution>(to + i * Tile::strip_rows * Tile::block_n,
                                                                   Tile::block_n),
              sums.template strip<i>());
    });
}

template <class Target, class T, int BlockN>
void check_tile()
{
    using tile = mma_tile<Target, default_atom<Target, T>, 64, BlockN, 2, 2>;
    constexpr chip_info chip = Target::chip();
    const one_hot_shape shape{tile::atom::row::value, tile::block_m, tile::block_n, tile::slice_k};
    INFO(chip.name);
    CHECK(count_wrong(shape, chip, multiply_tile<tile>, all_pairs(shape), {tile::waves}) == 0);
}

} // namespace

TEST_CASE("a single 1 through a tile of 2 x 2 waves", "[mma]")
{
    check_tile<arch::gfx942, half, 32>();
    check_tile<arch::gfx90a, float, 32>();
    check_tile<arch::gfx1100, half, 32>();
    check_tile<arch::gfx1201, std::int8_t, 32>();
    check_tile<arch::sm_80, half, 16>();
    check_tile<arch::sm_90a, float8_e4m3, 16>();
}

} // namespace tegula::test
