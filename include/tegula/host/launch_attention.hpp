#pragma once

#include <tegula/host/attention_memory.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/kernel/attention/split/check.hpp>

/// Attention kernels on a device: gpu_device (gpu_launch.hpp) or emulated_device (emulated_device.hpp). All addresses in
/// the arguments are the device's. Arguments are checked first, so that the same arguments give the same errors
/// everywhere; the emulator learns what memory they name.

namespace tegula {

/// Whether launch_attention takes the arguments: can_implement and suits_tile.
template <class Kernel>
status check_attention_launch(const typename Kernel::arguments& args)
{
    using variant = typename Kernel::variant;
    const status s = can_implement<variant>(args);
    return s ? suits_tile<typename Kernel::tile, variant>(args) : s;
}

/// Starts an attention_kernel. On a GPU it does not wait; on the emulator it is done.
///
/// Errors: those of can_implement, suits_tile, of check_numbers_in_memory where the device's memory is the host's or it
/// `checks_arrays`, and of launch. But for the last nothing ran.
template <class Device, launchable Kernel>
status launch_attention(Device&& device, Kernel kernel, const typename Kernel::arguments& args)
{
    using variant = typename Kernel::variant;
    status s = check_attention_launch<Kernel>(args);
    if (s)
        s = detail::check_numbers_on<variant>(device, args);
    if (!s)
        return device.refuse(s);
    launch_config config;
    config.grid.x = Kernel::blocks(args);
    config.name = "attention";
    return device.with_memory([&](auto& memory) { add_attention<variant>(memory, args); },
                              [&] { return launch(device, config, kernel, args); });
}

/// Starts an attention_split_kernel and, behind it, its combine_splits.
///
/// Errors: those of check_split, of check_numbers_in_memory as above, and launch. But for the last nothing ran.
template <class Device, launchable Kernel>
status launch_attention_split(Device&& device, Kernel kernel, const typename Kernel::arguments& args)
{
    using variant = typename Kernel::variant;
    using combine = typename Kernel::combine;
    status s = check_split<Kernel>(args);
    if (s)
        s = detail::check_numbers_on<variant>(device, args.attention);
    if (!s)
        return device.refuse(s);
    launch_config shares, sum;
    shares.grid.x = Kernel::blocks(args);
    shares.name = "attention of shares";
    sum.grid.x = combine::blocks(args);
    sum.name = "attention's sum of shares";
    const auto add = [&](auto& memory) {
        add_attention<variant>(memory, args.attention);
        memory.write(args.workspace.data, static_cast<std::size_t>(args.workspace_size()) * sizeof(float), "workspace");
    };
    return device.with_memory(add, [&] {
        const status started = launch(device, shares, kernel, args);
        return started ? launch(device, sum, combine{}, args) : started;
    });
}

} // namespace tegula
