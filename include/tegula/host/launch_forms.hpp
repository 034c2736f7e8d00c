#pragma once

#include <tegula/host/launch_gemm.hpp>
#include <tegula/kernel/gemm/forms/grouped.hpp>
#include <tegula/kernel/gemm/forms/reduce_partials.hpp>

/// The forms of GEMM of two kernels or of several products on a device; see launch_gemm.hpp.

namespace tegula {

namespace detail {

/// launch_split_k of any kernel that takes these arguments: start(device, kernel, arguments) launches it, and add(device,
/// arguments) the kernel that adds the parts, which are `bytes` of the workspace.
template <class Device, class Arguments>
status launch_parts(Device& device, const Arguments& args, std::size_t bytes, const void* kernel,
                    status (*start)(Device&, const void* kernel, const Arguments&),
                    status (*add)(Device&, const Arguments&))
{
    const status s = device.with_memory(
        [&](auto& memory) {
            add_product(memory, args.product);
            memory.workspace(args.workspace.data, bytes, "workspace");
        },
        [&] { return start(device, kernel, args); });
    if (!s)
        return s;
    return device.with_memory(
        [&](auto& memory) {
            add_product(memory, args.product);
            memory.read(args.workspace.data, bytes, "workspace");
        },
        [&] { return add(device, args); });
}

} // namespace detail

/// Starts split_k_gemm or stream_k_gemm and, behind it, the kernel that adds the parts.
///
/// Errors: those of Shared::check and launch; with the former nothing ran.
template <class Device, launchable Shared>
status launch_split_k(Device&& device, Shared shared, typename Shared::arguments args)
{
    using device_type = std::remove_reference_t<Device>;
    using arguments = typename Shared::arguments;
    using sum = reduce_partials<Shared>;
    if (status s = Shared::check(args); !s)
        return device.refuse(s);
    args.product = normalize(args.product);
    return detail::launch_parts<device_type, arguments>(
        device, args, static_cast<std::size_t>(Shared::workspace_bytes(args)), &shared,
        [](device_type& on, const void* kernel, const arguments& all) {
            return launch(on, config_for<Shared>(all, "product of parts of k"), *static_cast<const Shared*>(kernel),
                          all);
        },
        [](device_type& on, const arguments& all) {
            return launch(on, config_for<sum>(all, "reduce_partials"), sum{}, all);
        });
}

/// Starts grouped_gemm; `args` has the products as number_blocks left them, on a GPU copied to its memory.
///
/// Errors: those of launch.
template <class Device, launchable Grouped>
status launch_grouped(Device&& device, Grouped grouped, const typename Grouped::arguments& args)
{
    return device.with_memory(
        [&](auto& memory) {
            for (index_t i = 0; i < args.count; ++i)
                add_product(memory, args.products[i]);
        },
        [&] { return launch(device, config_for<Grouped>(args, "grouped GEMM"), grouped, args); });
}

} // namespace tegula
