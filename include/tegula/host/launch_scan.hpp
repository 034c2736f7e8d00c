#pragma once

#include <tegula/host/launch_reduction.hpp>
#include <tegula/kernel/reduction/scan.hpp>

/// Scans on a device: gpu_device (gpu_launch.hpp) or emulated_device (emulated_device.hpp).

namespace tegula {

/// Scans args.input by a kernel of Target, after a reduction of parts of rows where several blocks share a row. On a GPU
/// it does not wait; on the emulator it is done.
///
/// Errors: those of can_implement, with which nothing ran, and of launch.
template <class Target, kernel_choice Choice = kernel_choice::all, class Device, class T, class Op, class O>
status launch_scan(Device&& device, const scan_arguments<T, Op, O>& args)
{
    if (status s = can_implement(args); !s)
        return device.refuse(s);
    const auto plan = plan_scan(args);
    return device.with_memory(
        [&](auto& memory) {
            add_tensor(memory, args.input, "input");
            add_tensor(memory, args.output, "output");
            if (args.workspace != nullptr)
                memory.write(args.workspace, scan_workspace_bytes(args), "workspace");
        },
        [&] {
            status s;
            if (plan.splits > 1)
                s = detail::launch_reduction_plan<Target, Choice>(device, plan_scan_parts(plan),
                                                                  "reduction of parts of rows");
            if (!s)
                return s;
            return dispatch_scan<Target, Choice>(plan, [&](auto kernel, const auto& chosen) {
                launch_config config;
                config.grid = {chosen.blocks, chosen.splits, 1};
                config.name = "scan";
                return launch(device, config, kernel, chosen);
            });
        });
}

} // namespace tegula
