#pragma once

#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/can_implement.hpp>
#include <tegula/kernel/gemm/gemm_kernel.hpp>

namespace tegula {

/// `total` items dealt out in order to `count` takers, as evenly as possible: the first takers get one more.
/// Precondition: 1 <= count <= total.
struct even_share
{
    index_t total;
    index_t count;

    /// First item of taker i; i == count gives total.
    constexpr TEGULA_HOST_DEVICE index_t begin(index_t i) const
    {
        const index_t extra = total % count;
        return i * (total / count) + (i < extra ? i : extra);
    }
    /// The taker of item x, in [0, total).
    constexpr TEGULA_HOST_DEVICE index_t owner(index_t x) const
    {
        const index_t least = total / count;
        const index_t extra = total % count;
        const index_t of_larger = extra * (least + 1);
        return x < of_larger ? x / (least + 1) : extra + (x - of_larger) / least;
    }
};

/// Steps are dealt out in order to takers. This is the tile in which the border after taker i lies, and how many takers
/// share it: 0 if the border is between two tiles or not the first one in its tile.
struct border_tile
{
    index_t tile;
    index_t parts;
};

constexpr TEGULA_HOST_DEVICE border_tile find_border_tile(const even_share& among, index_t tile_steps, index_t i)
{
    const index_t border = among.begin(i + 1);
    const index_t number = border / tile_steps;
    const index_t start = number * tile_steps;
    if (border == start || among.begin(i) > start)
        return {number, 0};
    return {number, among.owner(start + tile_steps - 1) - i + 1};
}

/// Global memory that a kernel needs in addition to its operands. Its contents before and after do not matter.
struct gemm_workspace
{
    void* data = nullptr; ///< aligned to 16 bytes
    long_index_t bytes = 0;
};

/// Partial sums of the tiles of C whose k several blocks share: in the workspace, in the accumulator's type.
///
///   Kernel  the gemm_kernel whose product it is
template <class Kernel>
struct gemm_partials
{
    using tile = typename Kernel::tile;
    using target = typename Kernel::target;
    using product = typename Kernel::arguments;
    using value_type = typename tile::accumulator_type;
    using output = typename tile::output;

    /// The k of a step. A kernel that can begin at fewer k than the multiples of block_k says so by step_k.
    static constexpr index_t step_k = [] {
        if constexpr (requires { Kernel::step_k; })
            return Kernel::step_k;
        else
            return tile::block_k;
    }();

    /// One partial sum of a tile, [block_m, block_n], row-major.
    static constexpr long_index_t elements = static_cast<long_index_t>(tile::block_m) * tile::block_n;
    static constexpr long_index_t bytes = elements * static_cast<long_index_t>(sizeof(value_type));

    /// normalize() and memory() of a kernel whose arguments have a product and a workspace.
    template <class Arguments>
    static Arguments normalize(Arguments args)
    {
        args.product = tegula::normalize(args.product);
        return args;
    }
    template <class Arguments, class Memory>
    static void add_memory(const Arguments& args, long_index_t workspace_bytes, Memory& memory)
    {
        add_product(args.product, memory);
        memory.workspace(args.workspace.data, static_cast<std::size_t>(workspace_bytes), "workspace");
    }

    /// Steps of step_k in the k of the product; a k of 0 is one empty step.
    static constexpr TEGULA_HOST_DEVICE index_t steps(const product& args)
    {
        const index_t n = static_cast<index_t>(ceil_div(args.k, step_k));
        return n > 0 ? n : 1;
    }

    /// acc = A B for the tile at `at`, steps [first, last) of k.
    static TEGULA_INLINE void multiply(typename tile::mma::accumulators& acc, const product& args,
                                       const tile_position& at, index_t first, index_t last)
    {
        const index_t k = static_cast<index_t>(args.k);
        acc.clear();
        Kernel::multiply(acc, args, at, first * step_k, min(last * step_k, k));
    }

    /// Writes a partial sum of the tile at `at` to slot `slot` of the workspace, for reduce_partials to read.
    static TEGULA_INLINE void store(const typename tile::mma::accumulators& acc, const gemm_workspace& workspace,
                                    const product& args, const tile_position& at, long_index_t slot)
    {
        output::store_through([] { return epilogue::none{}; }, acc, window(workspace, args, at, slot, 0), at.batch,
                              target::shared_memory());
    }

    /// Window of the slot's rows that Distribution covers, from row `row` on. Rows that C does not have are outside.
    template <class Distribution = typename output::pass_distribution>
    static TEGULA_INLINE auto window(const gemm_workspace& workspace, const product& args, const tile_position& at,
                                     long_index_t slot, index_t row)
    {
        const index_t rows = min(tile::block_m, static_cast<index_t>(args.m) - at.m * tile::block_m);
        // Not a constant length, for which nvcc 13.0 uses up all memory.
        const index_t columns = tile::block_n;
        const auto view = make_tensor_view<target, address_space::global>(
            static_cast<value_type*>(workspace.data) + slot * elements,
            make_strided_descriptor(make_tuple(rows, columns), make_tuple(constant<tile::block_n>{}, constant<1>{})),
            "partial C");
        return make_tile_window<Distribution>(view, {row, 0});
    }
};

/// Base of a kernel whose blocks share the k of a gemm_kernel's tiles; its blocks are those of that kernel.
template <class Kernel>
struct gemm_of_partials
{
    using plain = Kernel;
    using target = typename Kernel::target;
    using tile = typename Kernel::tile;
    using parts = gemm_partials<Kernel>;

    static constexpr int block_threads = Kernel::block_threads;
    static constexpr index_t shared_bytes = Kernel::shared_bytes;
    static constexpr bool sums_start_early = false; ///< see reduce_partials
};

namespace gemm_checks {

/// Checks a workspace of which `needed` bytes are used; needed below 0 means that they pass 2^63.
inline status check_workspace(const gemm_workspace& w, long_index_t needed)
{
    if (needed < 0)
        return {status_code::unsupported, "the workspace would pass 2^63 bytes; share k among fewer blocks"};
    if (needed == 0)
        return {};
    if (w.data == nullptr)
        return invalid("the workspace is a null pointer; ") << needed << " bytes are needed";
    if (!is_aligned(w.data, 16))
        return invalid("the workspace of ") << needed << " bytes is not aligned to 16 bytes";
    if (w.bytes < needed)
        return invalid("the workspace has ") << w.bytes << " bytes; " << needed << " are needed";
    return {};
}

/// Checks that one launch can have so many blocks.
inline status check_blocks(const char* what, long_index_t blocks)
{
    if (blocks < 0 || blocks > INT32_MAX)
        return status(status_code::unsupported, what)
               << " takes " << blocks << " blocks; the limit is " << INT32_MAX << ", use a larger tile";
    return {};
}

} // namespace gemm_checks

} // namespace tegula
