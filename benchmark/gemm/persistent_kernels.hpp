#pragma once

// The kernels by tensor copies of sm_90a and of sm_100a as entries of the table. Compiled by nvcc.

#include "tile_kernels.hpp"

#include <tegula/host/launch.hpp>
#include <tegula/host/tensor_map.hpp>
#include <tegula/kernel/gemm/tcgen05/description.hpp>
#include <tegula/kernel/gemm/tcgen05/tiles.hpp>
#include <tegula/kernel/gemm/warp_specialized/description.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

namespace gemm_benchmark {

inline namespace TEGULA_RUNTIME_NAMESPACE {

/// The kernel of a tile of sm_90a or, where products are in tensor memory, of sm_100a.
template <class Tile, tegula::operand_order A, tegula::operand_order B, tegula::work_partition Partition>
struct kernel_by_tensor_copies
{
    using type = tegula::warp_specialized_gemm<Tile, A, B, output_type_of<typename Tile::a_type>,
                                               tegula::epilogue::none, tegula::output_store::tensor_copies, Partition>;
};
template <class Tile, tegula::operand_order A, tegula::operand_order B, tegula::work_partition Partition>
    requires requires { Tile::tensor_columns; }
struct kernel_by_tensor_copies<Tile, A, B, Partition>
{
    using type = tegula::tcgen05_gemm<Tile, A, B, output_type_of<typename Tile::a_type>, tegula::epilogue::none,
                                      tegula::output_store::tensor_copies, Partition>;
};

template <class Tile, tegula::operand_order A, tegula::operand_order B,
          tegula::work_partition Partition = tegula::work_partition::tiles>
struct persistent_kernel
{
    using input = typename Tile::a_type;
    using kernel = typename kernel_by_tensor_copies<Tile, A, B, Partition>::type;

    static bool suits(const gpu_problem& p)
    {
        tegula::gemm_maps maps;
        return tegula::describe_maps<kernel>(tegula::normalize(make_arguments<input>(p)), maps).ok();
    }
    static tegula::status prepare(const gpu_problem& p, launcher& launch)
    {
        int multiprocessors = 0;
        if (tegula::status s = tegula::find_multiprocessors<kernel>(tegula::gpu_device{}, multiprocessors); !s)
            return s;
        const auto product = make_arguments<input>(p);
        const auto workspace = std::make_shared<tegula::device_memory>();
        long_index_t bytes = 0;
        int splits = 1;
        if constexpr (kernel::has_partials) {
            if (Partition == tegula::work_partition::split_k)
                splits = tegula::choose_splits(p.shape.size(), tegula::describe<Tile>(""),
                                               tegula::chip_of<typename Tile::target>);
            bytes = tegula::split_k_workspace_bytes<kernel>(product, multiprocessors, splits);
            if (tegula::status s = workspace->allocate(static_cast<std::size_t>(bytes)); !s)
                return s;
        }
        const auto args = tegula::arguments_for(kernel{}, product, splits, {workspace->data(), bytes});
        return prepare_kernel<kernel>(args, launch, workspace);
    }
};

/// Adds a tile's kernels for the layouts named.
template <class Tile, layout... Layouts>
bool add_persistent(const char* name)
{
    (add_entry<Tile, persistent_kernel<Tile, order_of_a(Layouts), order_of_b(Layouts)>>(tegula::describe<Tile>(name),
                                                                                        Layouts),
     ...);
    return true;
}

/// Adds a tile's split-K and stream-K for the layouts named, under these names.
template <class Tile, layout... Layouts>
bool add_persistent_split_k(const char* split_k, const char* stream_k)
{
    (add_entry<Tile,
               persistent_kernel<Tile, order_of_a(Layouts), order_of_b(Layouts), tegula::work_partition::split_k>>(
         tegula::describe<Tile>(split_k), Layouts, k_form::split_k),
     ...);
    (add_entry<Tile, persistent_kernel<Tile, order_of_a(Layouts), order_of_b(Layouts), tegula::work_partition::stream>>(
         tegula::describe<Tile>(stream_k), Layouts, k_form::stream_k),
     ...);
    return true;
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace gemm_benchmark
