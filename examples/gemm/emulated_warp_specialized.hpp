#pragma once

#include "emulated.hpp"
#include "warp_specialized.hpp"

#include <tegula/host/emulated_device.hpp>

namespace gemm_example {

/// Runs launch(kernel, arguments, config) with the kernel of a warp-specialised tile that takes the product.
template <class Tile, bool SharesK, class Launch>
run_result run_emulated_warp_specialized(const problem& p, const run_options& options, const Launch& launch)
{
    return run_emulated<typename Tile::a_type>(p, options, [&](const auto& args, const auto& config) {
        return warp_specialized_kernels_of<Tile, SharesK>::dispatch(
            args, [&](auto kernel) { return launch(kernel, args, config); },
            [](const tegula::status& why) {
                tegula::emulator::launch_result result;
                result.status = why;
                return result;
            });
    });
}

template <class Tile>
struct emulated_warp_specialized
{
    static constexpr bool shares_k = false;
    static constexpr int multiprocessors = tegula::chip::speed_of(Tile::target::chip()).compute_units;

    static run_result run(const problem& p, const run_options& options)
    {
        return run_emulated_warp_specialized<Tile, shares_k>(
            p, options, [](auto kernel, const auto& args, const auto& config) {
                return tegula::emulate(kernel, tegula::arguments_for(kernel, args), config, multiprocessors);
            });
    }
};

/// A warp-specialised tile's split-K or stream-K.
template <class Tile>
struct emulated_warp_specialized_split_k
{
    static constexpr bool shares_k = true;
    static constexpr int multiprocessors = emulated_warp_specialized<Tile>::multiprocessors;

    static run_result run(const problem& p, const run_options& options)
    {
        return run_emulated_warp_specialized<Tile, shares_k>(
            p, options, [&](auto kernel, const auto& args, const auto& config) {
                using tegula::work_partition, tegula::with_partition;
                return options.sharing.stream ? share(with_partition<work_partition::stream>(kernel), args, 1, config)
                                              : share(with_partition<work_partition::split_k>(kernel), args,
                                                      options.sharing.splits, config);
            });
    }

private:
    template <class Kernel>
    static tegula::emulator::launch_result share(Kernel kernel, const typename Kernel::product_type& product,
                                                 int splits, const tegula::emulator::run_config& config)
    {
        emulated_workspace workspace;
        tegula::emulator::launch_result result;
        result.status = workspace.allocate(tegula::split_k_workspace_bytes<Kernel>(product, multiprocessors, splits));
        if (!result.status)
            return result;
        return tegula::emulate(kernel, tegula::arguments_for(kernel, product, splits, workspace.get()), config,
                               multiprocessors);
    }
};

/// Products that the warp-specialised kernels cannot address, multiplied element by element.
template <class Tile>
struct emulated_element_wise
{
    static constexpr bool shares_k = false;
    using kernel = typename emulated<Tile>::kernels::element_wise;

    static run_result run(const problem& p, const run_options& options)
    {
        return run_emulated<typename Tile::a_type>(
            p, options, [](const auto& args, const auto& config) { return tegula::emulate(kernel{}, args, config); });
    }
};

/// Adds warp-specialised tiles of one --type of a target; Run<Tile>::run emulates a tile's kernels.
template <template <class> class Run, class Inputs, class... TileNames>
bool add_emulated_warp_specialized()
{
    return add_kernels(make_warp_specialized_entries<Inputs, Run>(device::emulator, type_list<TileNames...>{}));
}

} // namespace gemm_example
