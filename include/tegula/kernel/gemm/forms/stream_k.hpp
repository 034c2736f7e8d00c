#pragma once

#include <tegula/arch/reload_arguments.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/forms/reduce_partials.hpp>

namespace tegula {

/// Stream-K: a fixed number of blocks, as many as the GPU runs at a time, share all steps of all tiles evenly, so that
/// none is idle in a last round. The steps are numbered tile after tile; a block takes a run of them. It finishes tiles
/// whose steps are all its own. For the others, at most one at its start and one at its end, it writes a partial sum to
/// the workspace. reduce_partials<stream_k_gemm>, launched after it with the same arguments, adds those. No block waits
/// for another.
///
///   Kernel  the gemm_kernel whose product it is: tile, orders, C and epilogue
///
/// operator() is the body of one block; grid size, block size and shared memory are below.
template <class Kernel>
struct stream_k_gemm : gemm_of_partials<Kernel>
{
    using typename gemm_of_partials<Kernel>::parts;
    using typename gemm_of_partials<Kernel>::target;

    struct arguments
    {
        typename Kernel::arguments product;
        index_t workers = 1; ///< blocks to share the work: multiprocessors x blocks that fit one
        gemm_workspace workspace = {};
    };

    /// Steps of all tiles.
    static constexpr TEGULA_HOST_DEVICE long_index_t all_steps(const arguments& args)
    {
        return Kernel::blocks(args.product) * parts::steps(args.product);
    }
    /// How the steps are shared; at most one block a step.
    static constexpr TEGULA_HOST_DEVICE even_share share(const arguments& args)
    {
        const index_t total = static_cast<index_t>(all_steps(args));
        return {total, min(args.workers, total)};
    }
    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args) { return share(args).count; }

    /// Bytes of workspace that both kernels need: two partial sums a block.
    static constexpr long_index_t workspace_bytes(const arguments& args)
    {
        return gemm_checks::product(2 * blocks(args), parts::bytes);
    }

    /// Errors: those of Kernel::check, workers below 1, a workspace that is null, misaligned or too
    /// small, too many steps.
    static status check(const arguments& args)
    {
        if (status s = Kernel::check(args.product); !s)
            return s;
        if (args.workers < 1)
            return gemm_checks::invalid("workers is ") << args.workers << "; at least 1 block does the work";
        const long_index_t steps = gemm_checks::product(Kernel::blocks(args.product), parts::steps(args.product));
        if (steps < 0 || steps > INT32_MAX)
            return status(status_code::unsupported, "the product takes ")
                   << steps << " steps of k over all tiles; the limit is " << INT32_MAX << ", use a larger tile";
        if (status s = gemm_checks::check_blocks("the sum of the parts", reduce_partials<stream_k_gemm>::blocks(args));
            !s)
            return s;
        return gemm_checks::check_workspace(args.workspace, workspace_bytes(args));
    }

    static arguments normalize(arguments args) { return parts::normalize(args); }
    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        parts::add_memory(args, workspace_bytes(args), memory);
    }
    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        return launch_with_sum<stream_k_gemm>(*this, "product of parts of k", args, launch);
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        internal::check_reload(args, [](const arguments& a) { return a.workspace.data; });
        const index_t worker = target::block_id()[0];
        const index_t end = share(args).begin(worker + 1);
        typename Kernel::tile::mma::accumulators acc; // [block_m, block_n]

        TEGULA_ROLLED
        for (index_t step = share(args).begin(worker); step < end;) {
            const arguments& now = internal::reload_arguments(args);
            const index_t tile_steps = parts::steps(now.product);
            const index_t first = step % tile_steps;
            const index_t last = min(tile_steps, first + end - step);
            const tile_position at = Kernel::position(now.product, step / tile_steps);

            parts::multiply(acc, now.product, at, first, last);
            // The slots would take too many scalar registers from before the loop on: `uniform` keeps their computation
            // inside.
            const arguments& after = internal::reload_arguments(args);
            if (last - first == tile_steps)
                Kernel::finish(acc, after.product, at);
            else
                parts::store(acc, after.workspace, after.product, at, slot(target::uniform(worker), first == 0));
            step += last - first;
            target::block_barrier(); // the next tile's ring is where this one's output was staged
        }
    }

    /// For reduce_partials: every border between two blocks may lie inside a tile.
    static constexpr TEGULA_HOST_DEVICE index_t shared_tiles(const arguments& args)
    {
        const index_t workers = share(args).count;
        return workers > 0 ? workers - 1 : 0;
    }
    struct tile_parts
    {
        index_t tile;
        index_t parts;
        index_t worker; ///< the worker with the first part
        constexpr TEGULA_HOST_DEVICE long_index_t slot(index_t part) const
        {
            return stream_k_gemm::slot(worker + part, part == 0);
        }
    };
    /// The tile in which worker i ends, if no worker before i ends inside it.
    static constexpr TEGULA_HOST_DEVICE tile_parts shared_tile(const arguments& args, index_t i)
    {
        const border_tile found = find_border_tile(share(args), parts::steps(args.product), i);
        return {found.tile, found.parts, i};
    }

private:
    /// Slot of a worker's partial sum: one for the tile it ends in, whose k it starts, one for the tile it starts in.
    static constexpr TEGULA_HOST_DEVICE long_index_t slot(index_t worker, bool starts_tile)
    {
        return 2 * static_cast<long_index_t>(worker) + (starts_tile ? 1 : 0);
    }
};

} // namespace tegula
