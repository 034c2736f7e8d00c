#pragma once

// The warp-specialised kernels of sm_90a as entries of the table. Compiled by nvcc.

#include "tile_kernels.hpp"

#include <tegula/host/launch.hpp>
#include <tegula/host/tensor_map.hpp>
#include <tegula/kernel/gemm/warp_specialized/description.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

namespace gemm_benchmark {

inline namespace TEGULA_RUNTIME_NAMESPACE {

template <class Tile, tegula::operand_order A, tegula::operand_order B,
          tegula::work_partition Partition = tegula::work_partition::tiles>
struct warp_specialized_kernel
{
    using input = typename Tile::a_type;
    using kernel = tegula::warp_specialized_gemm<Tile, A, B, output_type_of<input>, tegula::epilogue::none,
                                                 tegula::output_store::tensor_copies, Partition>;

    static bool suits(const gpu_problem& p)
    {
        tegula::gemm_maps maps;
        return tegula::describe_maps<kernel>(tegula::normalize(make_arguments<input>(p)), maps).ok();
    }
    /// The tensor maps are encoded here, once, and not at every launch.
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
        auto args = tegula::arguments_for(kernel{}, product, splits, {workspace->data(), bytes});
        if (tegula::status s = tegula::prepare<kernel>(tegula::gpu_device{}, args); !s)
            return s;
        launch = [args, workspace] { return tegula::launch_prepared(tegula::gpu_device{}, kernel{}, args); };
        return {};
    }
};

constexpr tegula::operand_order major_of_a(layout l)
{
    return a_by_rows(l) ? tegula::operand_order::k_contiguous : tegula::operand_order::row_contiguous;
}
constexpr tegula::operand_order major_of_b(layout l)
{
    return b_by_rows(l) ? tegula::operand_order::row_contiguous : tegula::operand_order::k_contiguous;
}

/// Adds a tile's kernels for the layouts named.
template <class Tile, layout... Layouts>
bool add_warp_specialized(const char* name)
{
    (add_entry<Tile, warp_specialized_kernel<Tile, major_of_a(Layouts), major_of_b(Layouts)>>(
         tegula::describe<Tile>(name)),
     ...);
    return true;
}

/// Adds a tile's split-K and stream-K for the layouts named, under these names.
template <class Tile, layout... Layouts>
bool add_warp_specialized_split_k(const char* split_k, const char* stream_k)
{
    (add_entry<Tile, warp_specialized_kernel<Tile, major_of_a(Layouts), major_of_b(Layouts),
                                             tegula::work_partition::split_k>>(tegula::describe<Tile>(split_k),
                                                                               k_form::split_k),
     ...);
    (add_entry<Tile,
               warp_specialized_kernel<Tile, major_of_a(Layouts), major_of_b(Layouts), tegula::work_partition::stream>>(
         tegula::describe<Tile>(stream_k), k_form::stream_k),
     ...);
    return true;
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace gemm_benchmark
