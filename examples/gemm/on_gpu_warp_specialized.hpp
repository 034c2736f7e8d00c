#pragma once

#include "on_gpu.hpp"
#include "warp_specialized.hpp"

#include <tegula/host/launch.hpp>
#include <tegula/host/tensor_map.hpp>

namespace gemm_example {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

template <class Tile>
struct warp_specialized_on_gpu
{
    static constexpr bool shares_k = false;
    using input = typename Tile::a_type;

    static run_result run(const problem& p, const run_options& options)
    {
        return run_on_gpu<input>(p, options, [](const problem& copy, const auto& time) {
            const auto args = make_arguments<input>(copy);
            return warp_specialized_kernels_of<Tile, shares_k>::dispatch(
                args,
                [&](auto kernel) {
                    return time([&] {
                        return tegula::launch(tegula::gpu_device{}, kernel, tegula::arguments_for(kernel, args));
                    });
                },
                [](const tegula::status& why) { return why; });
        });
    }
};

/// For what the warp-specialised kernels of the type cannot address or, of C, not write.
template <class Tile>
struct element_wise_on_gpu
{
    static constexpr bool shares_k = false;
    using input = typename Tile::a_type;
    using kernel = typename on_gpu<Tile>::kernels::element_wise;

    static run_result run(const problem& p, const run_options& options)
    {
        return run_on_gpu<input>(p, options, [](const problem& copy, const auto& time) {
            const auto args = make_arguments<input>(copy);
            return time([&] { return tegula::launch(tegula::gpu_device{}, kernel{}, args); });
        });
    }
};

/// As split-K or stream-K.
template <class Tile>
struct warp_specialized_split_k_on_gpu
{
    static constexpr bool shares_k = true;
    using input = typename Tile::a_type;

    static run_result run(const problem& p, const run_options& options)
    {
        return run_on_gpu<input>(p, options, [&](const problem& copy, const auto& time) {
            const auto args = make_arguments<input>(copy);
            return warp_specialized_kernels_of<Tile, shares_k>::dispatch(
                args,
                [&](auto kernel) {
                    using tegula::work_partition, tegula::with_partition;
                    return options.sharing.stream ? share(with_partition<work_partition::stream>(kernel), args, 1, time)
                                                  : share(with_partition<work_partition::split_k>(kernel), args,
                                                          options.sharing.splits, time);
                },
                [](const tegula::status& why) { return why; });
        });
    }

private:
    template <class Kernel, class Time>
    static tegula::status share(Kernel kernel, const typename Kernel::product_type& product, int splits,
                                const Time& time)
    {
        int multiprocessors = 0;
        if (tegula::status s = tegula::find_multiprocessors<Kernel>(tegula::gpu_device{}, multiprocessors); !s)
            return s;
        const long_index_t bytes = tegula::split_k_workspace_bytes<Kernel>(product, multiprocessors, splits);
        tegula::device_memory workspace;
        if (tegula::status s = workspace.allocate(static_cast<std::size_t>(bytes)); !s)
            return s;
        return time([&] {
            return tegula::launch(tegula::gpu_device{}, kernel,
                                  tegula::arguments_for(kernel, product, splits, {workspace.data(), bytes}));
        });
    }
};

/// Adds warp-specialised tiles of one --type of a target; Run<Tile>::run launches a tile's kernels.
template <template <class> class Run, class Inputs, class... TileNames>
bool add_on_gpu_warp_specialized()
{
    return add_kernels(make_warp_specialized_entries<Inputs, Run>(device::gpu, type_list<TileNames...>{}));
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace gemm_example
