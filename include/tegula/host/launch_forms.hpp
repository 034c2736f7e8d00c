#pragma once

#include <tegula/host/launch_gemm.hpp>
#include <tegula/kernel/gemm/forms/grouped.hpp>
#include <tegula/kernel/gemm/forms/reduce_partials.hpp>

/// The forms of GEMM of two kernels or of several products on a device; see launch_gemm.hpp.

namespace tegula {

/// Starts split_k_gemm or stream_k_gemm and, behind it, the kernel that adds the parts.
///
/// Errors: those of Shared::check and launch; with the former nothing ran.
template <class Device, launchable Shared>
status launch_split_k(Device&& device, Shared shared, typename Shared::arguments args)
{
    using sum = reduce_partials<Shared>;
    if (status s = Shared::check(args); !s)
        return device.refuse(s);
    args.product = normalize(args.product);
    const auto bytes = static_cast<std::size_t>(Shared::workspace_bytes(args));
    const status s = device.with_memory(
        [&](auto& memory) {
            add_product(memory, args.product);
            memory.workspace(args.workspace.data, bytes, "workspace");
        },
        [&] { return launch(device, config_for<Shared>(args, "product of parts of k"), shared, args); });
    if (!s)
        return s;
    return device.with_memory(
        [&](auto& memory) {
            add_product(memory, args.product);
            memory.read(args.workspace.data, bytes, "workspace");
        },
        [&] { return launch(device, config_for<sum>(args, "reduce_partials"), sum{}, args); });
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
