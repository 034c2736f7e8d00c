#pragma once

#include <tegula/core/math.hpp>
#include <tegula/kernel/index_space.hpp>
#include <tegula/kernel/protocol.hpp>

/// How wide a kernel over index spaces accesses its tensors, and with how many blocks it starts.

namespace tegula {

/// Which kernels a dispatch may choose from, and with it which are compiled: all, or few, one for each order of memory in
/// accesses of 16 bytes and one in single elements. Programs for many targets and types take `few`.
enum class kernel_choice { all, few };

/// Most blocks that a kernel over index spaces starts along the grid's x: more than any GPU runs at a time, below every
/// limit of a launch. Each takes every blocks-th tile.
inline constexpr long_index_t most_grid_blocks = 1 << 20;

/// Blocks for `items` items in tiles of `tile`. Precondition: items >= 0.
constexpr index_t blocks_for(long_index_t items, index_t tile)
{
    const long_index_t tiles = items / tile + (items % tile != 0 ? 1 : 0);
    return static_cast<index_t>(min(tiles, most_grid_blocks));
}

/// Elements of an access of 16 bytes of the widest element type, so that the accesses of all tensors have no gaps.
template <class... Ts>
inline constexpr index_t widest_vector = [] {
    index_t bytes = 1;
    ((bytes = static_cast<index_t>(sizeof(Ts)) > bytes ? static_cast<index_t>(sizeof(Ts)) : bytes), ...);
    return bytes < 16 ? 16 / bytes : 1;
}();

/// Whether tensor t of the space takes accesses of `vector` elements of `bytes` bytes, or is the same along dimension 0.
template <int Tensors>
bool suits_vector(const index_space<Tensors>& space, int t, const void* data, int bytes, index_t vector)
{
    if (space.rank > 0 && space.strides[t][0] == 0)
        return space.lengths[0] % vector == 0;
    return find_vector_length(space, t, data, bytes, vector) == vector;
}

/// Elements of each of `splits` blocks that share `elements`, a multiple of 16, so that slices start where vectors do.
constexpr long_index_t slice_of(long_index_t elements, index_t splits)
{
    if (splits == 1)
        return elements;
    const long_index_t slice = elements / splits + (elements % splits != 0 ? 1 : 0);
    return round_up(slice, 16);
}

/// Whether every stride of tensor t in the space is a multiple of `vector`.
template <int Tensors>
constexpr bool has_strides_of(const index_space<Tensors>& space, int t, index_t vector)
{
    for (int d = 0; d < space.rank; ++d)
        if (space.strides[t][d] % vector != 0)
            return false;
    return true;
}

/// A function for a dispatch to call with a kernel and its plan. It starts the plan's `blocks` along the grid's x, and its
/// `splits`, blocks that share the elements of a row, along y.
///
///   launch  what launches() of a kernel is given (kernel/protocol.hpp)
template <class Launcher>
auto start_plan(const char* name, Launcher& launch)
{
    return [&launch, name](const auto& kernel, const auto& plan) {
        launch_config config;
        config.grid.x = plan.blocks;
        config.grid.y = plan.splits;
        config.name = name;
        return launch(config, kernel, plan);
    };
}

} // namespace tegula
