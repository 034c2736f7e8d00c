#pragma once

#include <tegula/arch/nvidia/dependent_launch.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/epilogue/check.hpp>
#include <tegula/kernel/gemm/forms/reduce_partials.hpp>
#include <tegula/kernel/gemm/warp_specialized/work.hpp>

namespace tegula {

/// The kernel that reduce_partials takes for a warp_specialized_gemm whose clusters share the k of tiles.
/// reduce_partials<split_k_reduction<Kernel>>, launched after it with the same arguments, adds the partial sums in the
/// order of k and writes C, so that results are the same from run to run.
template <class Kernel>
struct split_k_reduction
{
    using target = typename Kernel::target;
    using arguments = typename Kernel::arguments;
    using product_type = typename Kernel::product_type;
    using value_type = typename Kernel::tile::accumulator_type;
    static constexpr index_t block_m = Kernel::tile::block_m;
    static constexpr index_t block_n = Kernel::tile::block_n;
    static constexpr int cluster_blocks = Kernel::cluster_blocks;
    static_assert(Kernel::has_partials, "tegula: this kernel does not share the k of tiles, there is nothing to sum");

    struct plain
    {
        using target = typename Kernel::target;
        static constexpr int waves = 4;
        static constexpr int block_threads = 32 * waves;

        struct tile
        {
            static constexpr index_t block_m = Kernel::tile::block_m;
            static constexpr index_t block_n = Kernel::tile::block_n;

            struct output
            {
                static constexpr int vector = 16 / static_cast<int>(sizeof(value_type));
                static constexpr index_t pass_rows = min(block_m, max(block_threads* vector / block_n, 1));
                static constexpr bool passes_whole_rows = true;
                using pass_distribution = tile_distribution<
                    operand_load_source<target, value_type, pass_rows, block_n, waves, operand_order::k_contiguous>>;

                template <class Window, class Epilogue, class Tile>
                static TEGULA_INLINE void store_pass(const Epilogue& epilogue, Tile& tile, const Window& to,
                                                     long_index_t batch)
                {
                    store(to, finish_tile<typename Window::value_type>(epilogue, tile, to, batch));
                }
            };
        };

        /// Tiles are numbered by cluster tile, then by block of the cluster.
        static TEGULA_INLINE tile_position position(const product_type& p, index_t number)
        {
            return Kernel::position(p, number / cluster_blocks, number % cluster_blocks);
        }
        template <class Distribution>
        static TEGULA_INLINE auto c_window(const product_type& p, const tile_position& at, index_t row)
        {
            return make_tile_window<Distribution>(Kernel::template c_view<target>(p, at.batch),
                                                  {at.m * block_m + row, at.n * block_n});
        }
    };

    struct parts
    {
        using value_type = split_k_reduction::value_type;
        static constexpr long_index_t elements = static_cast<long_index_t>(block_m) * block_n;
        static constexpr long_index_t bytes = elements * static_cast<long_index_t>(sizeof(value_type));

        template <class Distribution>
        static TEGULA_INLINE auto window(const gemm_workspace& workspace, const product_type& p,
                                         const tile_position& at, long_index_t slot, index_t row)
        {
            const index_t rows = min(block_m, static_cast<index_t>(p.m) - at.m * block_m);
            const index_t columns = block_n; // not a constant length: nvcc 13.0 takes all memory there is over it
            const auto view = make_tensor_view<target, address_space::global>(
                static_cast<value_type*>(workspace.data) + slot * elements,
                make_strided_descriptor(make_tuple(rows, columns), make_tuple(constant<block_n>{}, constant<1>{})),
                "partial C");
            return make_tile_window<Distribution>(view, {row, 0});
        }
    };

    static constexpr bool sums_start_early = true;
    static TEGULA_INLINE void wait_for_partials() { arch::nvidia::wait_for_previous_grid(); }

    struct tile_parts
    {
        index_t tile;
        index_t parts;
        index_t first; ///< cluster, or cluster tile, of the first part
        index_t step;  ///< split_k: cluster tiles from split to split; stream: 0
        int block;     ///< of the cluster
        constexpr TEGULA_HOST_DEVICE long_index_t slot(index_t part) const
        {
            const long_index_t place = step > 0 ? first + static_cast<long_index_t>(part) * step
                                                : work_queue<Kernel::sharing>::stream_slot(first + part, part == 0);
            return place * cluster_blocks + block;
        }
    };

    /// Tiles that may have parts: all of them, or those at the borders between two clusters' runs of steps.
    static constexpr TEGULA_HOST_DEVICE index_t shared_tiles(const arguments& args)
    {
        if (Kernel::sharing == work_partition::split_k)
            return args.plan.tiles * cluster_blocks;
        const index_t clusters = work_queue<Kernel::sharing>::shared(args.plan).count;
        return clusters > 0 ? (clusters - 1) * cluster_blocks : 0;
    }
    static constexpr TEGULA_HOST_DEVICE tile_parts shared_tile(const arguments& args, index_t number)
    {
        const index_t i = number / cluster_blocks;
        const int block = static_cast<int>(number % cluster_blocks);
        if (Kernel::sharing == work_partition::split_k)
            return {number, args.plan.splits, i, args.plan.tiles, block};
        const even_share among = work_queue<Kernel::sharing>::shared(args.plan);
        const border_tile found = find_border_tile(among, args.plan.steps, i);
        return {found.tile * cluster_blocks + block, found.parts, i, 0, block};
    }

    /// Bytes of workspace that both kernels need.
    static constexpr long_index_t workspace_bytes(const work_plan& plan)
    {
        const long_index_t places = Kernel::sharing == work_partition::split_k
                                        ? static_cast<long_index_t>(plan.tiles) * plan.splits
                                        : 2 * static_cast<long_index_t>(plan.clusters);
        return gemm_checks::product(places * cluster_blocks, parts::bytes);
    }
};

} // namespace tegula
