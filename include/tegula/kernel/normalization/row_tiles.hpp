#pragma once

#include <tegula/block/row_tile.hpp>
#include <tegula/core/math.hpp>
#include <tegula/core/status.hpp>
#include <tegula/core/tuple.hpp>
#include <tegula/kernel/protocol.hpp>

namespace tegula {

/// The members that kernels on rows have in common.
template <class Tile>
struct row_kernel
{
    using tile = Tile;
    static constexpr int block_threads = Tile::block_threads;
    static constexpr bool compiled_whole = true; ///< read on CPUs only
};

/// Tiles that a family of kernels picks from: the first that suits the rows. The last suits all.
template <class... Tiles>
struct row_tile_list
{
    template <int I>
    using at = tuple_element<I, tuple<Tiles...>>;
};

/// The tile at a place of a list.
template <class List, int I>
using tile_at = typename List::template at<I>;

/// Elements of an access of 16 bytes of the wider of two types.
template <class T, class O>
inline constexpr int row_vector = 16 / static_cast<int>(sizeof(T) < sizeof(O) ? sizeof(O) : sizeof(T));

namespace detail {

template <class Target, int Vector>
struct row_tiles_source
{
    static constexpr int wave = Target::wave_size;
    static constexpr int waves = default_block_threads<Target> / wave;
    template <int Lanes, int RowWaves, int Passes, int V, row_storage Storage = row_storage::resident>
    using tile = row_tile<Target, Lanes, RowWaves, waves, Passes, V, Storage>;

    using all = row_tile_list<tile<8, 1, 1, Vector>, tile<wave, 1, 1, Vector>, tile<wave, 1, 4, Vector>,
                              tile<wave, waves, 2, Vector>, tile<wave, waves, 4, Vector>, tile<wave, waves, 8, Vector>,
                              tile<wave, waves, 4, Vector, row_storage::chunks>, tile<8, 1, 4, 1>, tile<wave, 1, 8, 1>,
                              tile<wave, waves, 16, 1>, tile<wave, waves, 8, 1, row_storage::chunks>>;
    using few = row_tile_list<tile<wave, waves, 8, Vector>, tile<wave, waves, 4, Vector, row_storage::chunks>,
                              tile<wave, waves, 8, 1, row_storage::chunks>>;
};

/// On a CPU one lane has the row.
template <class Target, int Vector>
    requires(Target::wave_size == 1)
struct row_tiles_source<Target, Vector>
{
    template <int Passes, int V, row_storage Storage = row_storage::resident>
    using tile = row_tile<Target, 1, 1, 1, Passes, V, Storage>;

    using all = row_tile_list<tile<32, Vector>, tile<128, Vector>, tile<64, Vector, row_storage::chunks>,
                              tile<32, 1, row_storage::chunks>>;
    using few =
        row_tile_list<tile<128, Vector>, tile<64, Vector, row_storage::chunks>, tile<32, 1, row_storage::chunks>>;
};

} // namespace detail

/// The tiles that are shipped, with 256 threads a block:
///
/// | threads of a row | vectors of a lane | because
/// | 8                | 1                 | rows of a few dozens: with a wave a row most lanes would idle
/// | a wave           | 1, 4              | reductions need no shared memory
/// | the block        | 2, 4, 8           | 4: half of 8 would be past a row of 8192 elements of 16 bits; more than 8 would cost waves
/// | the block        | 4 in chunks       | longer rows are read twice, chunk by chunk
/// | 8, wave, block   | 4, 8, 16 and 8 in chunks, of single elements | rows at any address and with any stride
/// | a CPU's only one | 32, 128, 64 in chunks, 32 elements in chunks | short rows, rows that stay in the first cache, others
template <class Target, int Vector>
using row_tiles_for = typename detail::row_tiles_source<Target, Vector>::all;

/// The tile with which norm_backward_kernels sums up dweight and dbias: strips of single elements, which suit rows at
/// any address.
template <class Target>
using strip_tile_for = row_tile<Target, Target::wave_size, 1, default_block_threads<Target> / Target::wave_size,
                                4 * lane_multiple<Target>, 1>;

/// Strips like those of Strip for rows of vectors, which norm_backward_kernels takes where the rows suit them. Four
/// sums in float are the 16 bytes of a store.
template <class Strip>
using vector_strip_of = row_tile<typename Strip::target, Strip::target::wave_size, 1, Strip::waves, 2, 4>;

/// Three of them, to build sooner: a block for rows that fit, longer rows in chunks of vectors, and any rows in chunks of
/// single elements. Not the fastest for short rows, for which a block is too much.
template <class Target, int Vector>
using few_row_tiles_for = typename detail::row_tiles_source<Target, Vector>::few;

/// Whether rows suit a tile: they fit if it holds whole rows, and its vectors are no wider than `vector`, that of
/// find_row_vector.
template <class Tile>
constexpr bool suits_rows(index_t length, int vector)
{
    return (!Tile::resident || length <= Tile::columns) && Tile::vector <= vector;
}

/// The place in the list of the first tile that suits; -1 if none does.
template <class... Tiles>
constexpr int choose_row_tile(row_tile_list<Tiles...>, index_t length, int vector)
{
    int chosen = -1, i = 0;
    ((chosen = chosen < 0 && suits_rows<Tiles>(length, vector) ? i : chosen, ++i), ...);
    return chosen;
}

/// Calls f with the tile at place `chosen`, as a null pointer to it.
template <class... Tiles, class F>
constexpr auto with_row_tile(row_tile_list<Tiles...>, int chosen, const F& f)
{
    decltype((f(static_cast<Tiles*>(nullptr)), ...)) result{};
    int i = 0;
    ((i++ == chosen ? void(result = f(static_cast<Tiles*>(nullptr))) : void()), ...);
    return result;
}

/// Rows that a block takes, if there are blocks enough: those of the tile; on a CPU so many that their elements outweigh
/// the start of a block.
template <class Tile>
constexpr long_index_t rows_of_block(index_t length)
{
    return Tile::target::wave_size != 1 ? long_index_t{Tile::rows} : max(4096 / max(length, 1), 1);
}

/// Starts Kernel<tile> with the first tile of the list that suits the rows; without rows it starts nothing.
///
///   rows    the kernel's arguments, with a row_space
///   vector  of find_row_vector
///   launch  what launches() of a kernel is given (kernel/protocol.hpp)
///
/// Errors: unsupported if no tile suits; those of the launch.
template <template <class> class Kernel, class... Tiles, class Rows, class Launcher>
status start_rows(row_tile_list<Tiles...> tiles, Rows rows, int vector, const char* name, Launcher& launch)
{
    if (rows.space.rows.size == 0)
        return {};
    const int chosen = choose_row_tile(tiles, rows.space.length, vector);
    if (chosen < 0)
        return status(status_code::unsupported, name)
               << ": no tile suits rows of " << rows.space.length
               << " elements at these strides; add one of single elements in chunks to the list";
    return with_row_tile(tiles, chosen, [&](auto* tile) {
        using tile_type = std::remove_pointer_t<decltype(tile)>;
        constexpr long_index_t most_blocks = 1 << 20; // a block takes further rows
        launch_config config;
        config.grid.x = min(most_blocks, ceil_div(rows.space.rows.size, rows_of_block<tile_type>(rows.space.length)));
        config.name = name;
        rows.space.blocks = static_cast<index_t>(config.grid.x);
        return launch(config, Kernel<tile_type>{}, rows);
    });
}

} // namespace tegula
