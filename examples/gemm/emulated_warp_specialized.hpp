#pragma once

#include "emulated.hpp"
#include "warp_specialized.hpp"

#include <tegula/host/emulated_warp_specialized.hpp>

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
                return tegula::emulate_warp_specialized(kernel, args, multiprocessors, config);
            });
    }
};

/// The same as split-K or stream-K.
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
                                                 int splits, const tegula::emulator::launch_config& config)
    {
        emulated_workspace workspace;
        tegula::emulator::launch_result result;
        result.status = workspace.allocate(tegula::split_k_workspace_bytes<Kernel>(product, multiprocessors, splits));
        if (!result.status)
            return result;
        return tegula::emulate_warp_specialized(kernel, product, multiprocessors, config, splits, workspace.get());
    }
};

/// What the warp-specialised kernels cannot address, multiplied element by element.
template <class Tile>
struct emulated_element_wise
{
    static constexpr bool shares_k = false;
    using kernel = typename emulated<Tile>::kernels::element_wise;

    static run_result run(const problem& p, const run_options& options)
    {
        return run_emulated<typename Tile::a_type>(p, options, [](const auto& args, const auto& config) {
            return tegula::emulate_gemm(kernel{}, args, config);
        });
    }
};

/// Adds the emulator's kernels of a Target with tensor memory for one --type: these tiles, and one for everything else.
template <class Target, template <class> class Inputs, class... Tiles>
bool add_emulated_tcgen05()
{
    using inputs = Inputs<Target>;
    return add_kernels(make_entries<inputs, emulated_element_wise>(device::emulator, type_list<t64x64_tile>{})) &&
           add_kernels(make_warp_specialized_entries<inputs, emulated_warp_specialized>(device::emulator,
                                                                                        type_list<Tiles...>{}));
}

/// Adds the emulator's warp-specialised kernels of Target for one --type and these tiles; those of the first share k,
/// too.
template <class Target, template <class> class Inputs, class First, class... Others>
bool add_emulated_warp_specialized()
{
    using inputs = Inputs<Target>;
    return add_kernels(make_warp_specialized_entries<inputs, emulated_warp_specialized>(
               device::emulator, type_list<First, Others...>{})) &&
           add_kernels(make_warp_specialized_entries<inputs, emulated_warp_specialized_split_k>(device::emulator,
                                                                                                type_list<First>{}));
}

} // namespace gemm_example
