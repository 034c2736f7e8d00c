#pragma once

#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/forms/reduce_partials.hpp>

namespace tegula {

/// Split-K: the k of every tile is shared by the same number of blocks, for products of few tiles and long k. Each
/// block writes a partial sum of its tile to the workspace; reduce_partials<split_k_gemm>, launched after it with the
/// same arguments, adds them and writes C.
///
///   Kernel  the gemm_kernel whose product it is: tile, orders, C and epilogue
///
/// operator() is the body of one block; grid size, block size and shared memory are below.
template <class Kernel>
struct split_k_gemm : gemm_of_partials<Kernel>
{
    using typename gemm_of_partials<Kernel>::parts;
    using typename gemm_of_partials<Kernel>::target;

    struct arguments
    {
        typename Kernel::arguments product;
        index_t splits = 1; ///< blocks that share a tile; at most one for each of its steps of block_k
        gemm_workspace workspace = {};
    };

    /// Blocks that share a tile.
    static constexpr TEGULA_HOST_DEVICE index_t splits(const arguments& args)
    {
        return min(args.splits, parts::steps(args.product));
    }
    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return Kernel::blocks(args.product) * splits(args);
    }
    /// Bytes of workspace that both kernels need; -1 if they pass 2^63.
    static constexpr long_index_t workspace_bytes(const arguments& args)
    {
        return gemm_checks::product(gemm_checks::product(Kernel::blocks(args.product), splits(args)), parts::bytes);
    }

    /// Errors: those of Kernel::check, splits below 1, a workspace that is null, misaligned or too
    /// small, too many blocks.
    static status check(const arguments& args)
    {
        if (status s = Kernel::check(args.product); !s)
            return s;
        if (args.splits < 1)
            return gemm_checks::invalid("splits is ") << args.splits << "; k is shared by at least 1 block";
        if (status s = gemm_checks::check_blocks("one split", Kernel::blocks(args.product)); !s)
            return s;
        if (status s = gemm_checks::check_blocks("the product", blocks(args)); !s)
            return s;
        if (status s = gemm_checks::check_blocks("the sum of the splits", reduce_partials<split_k_gemm>::blocks(args));
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
        return launch_with_sum<split_k_gemm>(*this, "product of parts of k", args, launch);
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        // Blocks of one split have consecutive numbers, so that those that run together read the same k.
        const index_t block = target::block_id()[0];
        const index_t tiles = static_cast<index_t>(Kernel::blocks(args.product));
        const index_t split = block / tiles;
        const tile_position at = Kernel::position(args.product, block % tiles);
        const even_share share{parts::steps(args.product), splits(args)};

        typename Kernel::tile::mma::accumulators acc; // [block_m, block_n]
        parts::multiply(acc, args.product, at, share.begin(split), share.begin(split + 1));
        parts::store(acc, args.workspace, args.product, at, block);
    }

    /// For reduce_partials: every tile is shared.
    static constexpr TEGULA_HOST_DEVICE index_t shared_tiles(const arguments& args)
    {
        return static_cast<index_t>(Kernel::blocks(args.product));
    }
    struct tile_parts
    {
        index_t tile;
        index_t parts;
        index_t tiles;
        constexpr TEGULA_HOST_DEVICE long_index_t slot(index_t part) const
        {
            return static_cast<long_index_t>(part) * tiles + tile;
        }
    };
    static constexpr TEGULA_HOST_DEVICE tile_parts shared_tile(const arguments& args, index_t i)
    {
        return {i, splits(args), shared_tiles(args)};
    }
};

} // namespace tegula
