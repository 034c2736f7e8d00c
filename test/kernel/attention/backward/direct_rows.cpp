/// Tiles of the backward pass on gfx950: direct loads, and both ways to read one copy of them.

#include <tegula/emulator/launch.hpp>
#include <tegula/kernel/attention/backward/tiles.hpp>

#include "test/catch.hpp"

#include <vector>

using namespace tegula;

namespace {

using target = arch::gfx950;

/// Counts the registers of a slice that differ from element(x0, x1), x being their place in the tile.
template <class Distribution, class Words, class Element>
int count_wrong(const Words& words, index_t k0, const Element& element)
{
    distributed_tensor<half, Distribution> slice;
    slice.registers = __builtin_bit_cast(decltype(slice.registers), words);
    const auto first = Distribution::origin(partition_index<target, Distribution>());
    int wrong = 0;
    static_for<Distribution::num_registers>([&](auto r) {
        constexpr auto step = Distribution::step(decltype(r)::value);
        wrong += slice[r].bits != element(first[0] + step[0], first[1] + step[1] + k0).bits;
    });
    return wrong;
}

/// `extent` rows and `columns` columns of a tile of Columns exist; the others must be zeros.
template <index_t Columns>
void check_tile(index_t extent, index_t columns)
{
    using tile = attention_gradient_tile_for<target, half, Columns>;
    using rows = typename tile::template head_tiles<typename tile::over_head>;
    static_assert(rows::loads_by == ring_loads::direct);
    const index_t stride = columns + 8;
    std::vector<half> matrix(static_cast<std::size_t>(extent * stride));
    const auto element = [&](index_t row, index_t column) {
        half x{};
        if (row < extent && column < columns)
            x.bits = static_cast<std::uint16_t>(1 + row * 512 + column);
        return x;
    };
    for (index_t row = 0; row < extent; ++row)
        for (index_t column = 0; column < columns; ++column)
            matrix[static_cast<std::size_t>(row * stride + column)] = element(row, column);
    int wrong = 0;
    emulator::run_config config;
    config.chip = &chip_of<target>;
    config.kernel_name = "direct_rows";
    config.block_threads = tile::block_threads;
    config.shared_bytes = rows::bytes;
    config.memory.read(matrix.data(), static_cast<long>(matrix.size()) * 2, "rows");
    const auto result = emulator::launch(config, [&] {
        rows tiles(stride, columns, target::shared_memory(), "rows");
        tiles.load(1, matrix.data(), extent);
        target::direct_barrier<0>();
        const auto along = tiles.along(1);
        static_for<Columns / tile::scores::slice_k>([&](auto i) {
            constexpr int k = decltype(i)::value * static_cast<int>(tile::scores::slice_k);
            wrong += count_wrong<typename tile::template chain<typename tile::over_head>::b_distribution>(
                along.template read<k>(), k, element);
        });
        const auto across = tiles.across(1);
        static_for<tile::columns / tile::over_head::slice_k>([&](auto i) {
            constexpr int k = decltype(i)::value * static_cast<int>(tile::over_head::slice_k);
            wrong += count_wrong<typename tile::over_head::b_distribution>(
                across.template read<k>(), k, [&](index_t column, index_t row) { return element(row, column); });
        });
    });
    INFO(result.report << result.status.message() << ", " << Columns << " columns");
    CHECK(result.status.ok());
    CHECK(wrong == 0);
    CHECK(result.counters.shared_load_conflicts == 0);
}

} // namespace

TEST_CASE("tiles of attention backward on gfx950 lie in memory once, for products along rows and across")
{
    check_tile<64>(32, 64);
    check_tile<64>(7, 40);
    check_tile<128>(32, 128);
    check_tile<128>(31, 104);
    check_tile<256>(40, 248);
}
