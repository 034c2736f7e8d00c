#pragma once

#include <tegula/host/launch_forms.hpp>
#include <tegula/host/tensor_map.hpp>
#include <tegula/kernel/gemm/warp_specialized/maps.hpp>

namespace tegula {

namespace detail {
/// The bytes of workspace for a kernel whose clusters share the k of tiles.
template <class Kernel>
std::size_t workspace_bytes_of(const work_plan& plan)
{
    return static_cast<std::size_t>(split_k_reduction<Kernel>::workspace_bytes(plan));
}
} // namespace detail

/// Starts a warp_specialized_gemm or a tcgen05_gemm with arguments as fill_arguments leaves them and, if clusters
/// share the k of tiles, its reduce_partials. For a product that is computed again and again; else launch_warp_specialized.
///
/// Errors: those of launch.
template <class Device, launchable Kernel>
status start_warp_specialized(Device&& device, Kernel kernel, const typename Kernel::arguments& args)
{
    const status s = device.with_memory(
        [&](auto& memory) {
            add_product(memory, args.product);
            if constexpr (Kernel::has_partials)
                memory.workspace(args.workspace.data, detail::workspace_bytes_of<Kernel>(args.plan), "workspace");
        },
        [&] { return launch(device, config_for<Kernel>(args, "warp-specialised GEMM"), kernel, args); });
    if constexpr (Kernel::has_partials) {
        using sum = reduce_partials<split_k_reduction<Kernel>>;
        if (!s)
            return s;
        return device.with_memory(
            [&](auto& memory) {
                add_product(memory, args.product);
                memory.read(args.workspace.data, detail::workspace_bytes_of<Kernel>(args.plan), "workspace");
            },
            [&] { return launch(device, config_for<sum>(args, "reduce_partials"), sum{}, args); });
    } else {
        return s;
    }
}

/// The arguments of a launch on the device: tensor maps and plan of the work.
///
/// Errors: those of fill_arguments, and of the runtime.
template <class Kernel, class Device>
status prepare_warp_specialized(Device&& device, typename Kernel::arguments& args,
                                const typename Kernel::product_type& product, index_t splits = 1,
                                gemm_workspace workspace = {})
{
    int multiprocessors = 0;
    status s = find_multiprocessors<Kernel>(device, multiprocessors);
    const auto make_map = [&](tensor_map& map, const tensor_map_parameters& parameters) {
        return make_tensor_map(device, map, parameters);
    };
    if (s)
        s = fill_arguments<Kernel>(args, product, multiprocessors, make_map, splits, workspace);
    return s ? s : device.refuse(s);
}

/// Starts a warp_specialized_gemm. `splits` and `workspace` are for kernels whose clusters share the k of tiles; see
/// split_k_workspace_bytes.
///
/// Errors: those of prepare_warp_specialized, with which nothing ran, and of launch.
template <class Device, launchable Kernel>
status launch_warp_specialized(Device&& device, Kernel kernel, const typename Kernel::product_type& product,
                               index_t splits = 1, gemm_workspace workspace = {})
{
    typename Kernel::arguments args;
    if (status s = prepare_warp_specialized<Kernel>(device, args, product, splits, workspace); !s)
        return s;
    return start_warp_specialized(device, kernel, args);
}

} // namespace tegula
