#pragma once

#include <tegula/kernel/gemm/c_view.hpp>
#include <tegula/kernel/gemm/warp_specialized/experts.hpp>
#include <tegula/kernel/gemm/warp_specialized/maps.hpp>

namespace tegula {

/// The common part of a warp_specialized_gemm and a tcgen05_gemm: the members of kernel/protocol.hpp, and where tiles lie.
/// A launch takes arguments as arguments_for makes them.
template <class Kernel>
struct persistent_gemm
{
    template <class Product>
    static constexpr TEGULA_HOST_DEVICE index_t cluster_tiles_m(const Product& p)
    {
        constexpr index_t rows = Kernel::tile::block_m * Kernel::tile::cluster_m;
        return static_cast<index_t>(ceil_div(p.m, rows));
    }
    template <class Product>
    static constexpr TEGULA_HOST_DEVICE index_t cluster_tiles_n(const Product& p)
    {
        constexpr index_t columns = Kernel::tile::block_n * Kernel::tile::cluster_n;
        return static_cast<index_t>(ceil_div(p.n, columns));
    }
    /// Blocks to launch.
    template <class Arguments>
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const Arguments& args)
    {
        return static_cast<long_index_t>(args.plan.clusters) * Kernel::cluster_blocks;
    }

    /// The place of this cluster tile, counted in cluster tiles.
    template <class Product>
    static TEGULA_INLINE tile_position position(const Product& p, index_t cluster_tile)
    {
        return Kernel::tile::raster::position(cluster_tile, cluster_tiles_m(p), cluster_tiles_n(p));
    }
    /// The place of block `block`'s tile in this cluster tile, counted in block tiles.
    template <class Product>
    static TEGULA_INLINE tile_position position(const Product& p, index_t cluster_tile, int block)
    {
        constexpr int along_m = Kernel::tile::cluster_m, along_n = Kernel::tile::cluster_n;
        tile_position at = position(p, cluster_tile);
        at.m = at.m * along_m + (along_n > 1 ? block % along_m : block);
        at.n = at.n * along_n + (along_n > 1 ? block / along_m : 0);
        return at;
    }

    /// Called by one lane of the block: prefetches the maps in its arguments.
    template <class Arguments>
    static TEGULA_INLINE void prefetch_maps(const Arguments& args)
    {
        using operands = typename Kernel::operands;
        if constexpr (Kernel::tensor_c && Kernel::sharing != work_partition::split_k)
            arch::nvidia::prefetch_tensor_map(args.c);
        if (Kernel::tile::block_scaled && args.plan.steps == 0)
            return; // then the operands have no maps
        if constexpr (operands::copies_left)
            arch::nvidia::prefetch_tensor_map(args.left);
        if constexpr (operands::copies_right)
            arch::nvidia::prefetch_tensor_map(args.right);
        if constexpr (Kernel::tile::block_scaled) {
            arch::nvidia::prefetch_tensor_map(args.left_scales);
            arch::nvidia::prefetch_tensor_map(args.right_scales);
        }
    }

    /// Matrix `batch` of C.
    template <class ViewTarget, class Product>
    static TEGULA_INLINE auto c_view(const Product& p, long_index_t batch)
    {
        if constexpr (Kernel::tile::scatters)
            return make_scattered_c_view<ViewTarget, false>(p, batch);
        else
            return make_c_view<ViewTarget, Kernel::tensor_c>(p, batch);
    }

    /// Errors: those of can_implement and check_epilogue; splits that the kernel does not take; experts that are wrong.
    template <class Arguments>
    static status check(const Arguments& args)
    {
        if constexpr (takes_experts())
            return check_experts(args.product, args.first_row, args.experts, first_weight(args.product.b).batch_stride);
        static_assert(!Kernel::takes_lists,
                      "tegula: this kernel takes a list of products; take prepared_list or product_list "
                      "of host/product_list.hpp");
        status s = check_arguments(args.product);
        return s ? detail::check_splits<Kernel>(args.plan.splits) : s;
    }
    template <class Arguments>
    static Arguments normalize(const Arguments& given)
    {
        Arguments args = given;
        args.product = tegula::normalize(args.product);
        return args;
    }
    template <class Arguments, class Memory>
    static void memory(const Arguments& args, Memory& memory)
    {
        add_product(args.product, memory); // with the matrix of expert 0
        if constexpr (takes_experts()) {
            args.product.b.memory("B", args.product.n, args.product.k, args.experts, memory);
            memory.read(args.first_row, (static_cast<std::size_t>(args.experts) + 1) * sizeof(index_t), "first rows");
        }
        if constexpr (Kernel::has_partials)
            memory.workspace(args.workspace.data,
                             static_cast<std::size_t>(split_k_reduction<Kernel>::workspace_bytes(args.plan)),
                             "workspace");
    }
    /// Makes the maps and the plan. Errors: those of fill_arguments.
    template <class Arguments, class Launcher>
    static status prepare(Arguments& args, Launcher& device)
    {
        int multiprocessors = 0;
        if (status s = device.template count_multiprocessors<Kernel>(multiprocessors); !s)
            return s;
        gemm_workspace workspace;
        if constexpr (Kernel::has_partials)
            workspace = args.workspace;
        const auto product = args.product;
        const auto encode = [&](auto& map, const tensor_map_parameters& parameters) {
            return device.encode(map, parameters);
        };
        if constexpr (takes_experts())
            return prepare_experts(args, multiprocessors, encode);
        else
            return fill_arguments<Kernel>(args, product, multiprocessors, encode, args.plan.splits, workspace);
    }
    template <class Arguments, class Launcher>
    status launches(const Arguments& args, Launcher& launch) const
    {
        constexpr const char* name = Kernel::takes_lists ? "list of products"
                                     : takes_experts()   ? "products of experts"
                                                         : "warp-specialised GEMM";
        if constexpr (Kernel::has_partials) {
            return launch_with_sum<split_k_reduction<Kernel>>(Kernel{}, name, args, launch);
        } else {
            launch_config config;
            config.grid.x = blocks(args);
            config.name = name;
            return launch(config, Kernel{}, args);
        }
    }

private:
    static consteval bool takes_experts() { return Kernel::sharing == work_partition::experts; }

    /// Copies address the matrices of all experts as a batch. A tile may have no rows.
    template <class Arguments, class Encode>
    static status prepare_experts(Arguments& args, int multiprocessors, const Encode& encode)
    {
        auto all = args.product;
        all.batch = args.experts;
        gemm_maps maps;
        if (status s = describe_maps<Kernel>(all, maps); !s)
            return s;
        const long_index_t tiles =
            Kernel::expert::tiles_m(args.product.m, args.experts) * cluster_tiles_n(args.product);
        args.plan = make_work_plan<Kernel>(args.product, multiprocessors);
        if (status s = detail::check_steps(tiles, max(args.plan.steps, 1)); !s)
            return s;
        args.plan.tiles = static_cast<index_t>(tiles);
        args.plan.clusters = min(args.plan.tiles, static_cast<index_t>(multiprocessors));
        return detail::make_maps<Kernel>(args, maps, args.plan.steps, encode);
    }
};

/// The kernel Gemm, its clusters sharing tiles by Partition.
template <work_partition Partition,
          template <class, operand_order, operand_order, class, class, output_store, work_partition> class Gemm,
          class Tile, operand_order A, operand_order B, class C, class Epilogue, output_store Store>
constexpr auto with_partition(Gemm<Tile, A, B, C, Epilogue, Store, work_partition::tiles>)
{
    return Gemm<Tile, A, B, C, Epilogue, Store, Partition>{};
}

} // namespace tegula
