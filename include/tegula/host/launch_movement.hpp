#pragma once

#include <tegula/host/launch_dispatched.hpp>
#include <tegula/kernel/movement/gather_kernel.hpp>
#include <tegula/kernel/movement/permute.hpp>

/// Kernels that move elements on a device: gpu_device (gpu_launch.hpp) or emulated_device (emulated_device.hpp).

namespace tegula {

/// Permutes the dimensions of args.input by a kernel of Target. On a GPU it does not wait; on the emulator it is done.
///
/// Errors: those of can_implement, with which nothing ran, and of launch.
template <class Target, class Device, class T>
status launch_permute(Device&& device, const permute_arguments<T>& args)
{
    return detail::launch_dispatched(
        device, "permute", [&](const auto& f) { return dispatch_permute<Target>(args, f); },
        [&](auto& memory) {
            add_tensor(memory, args.input, "input");
            add_tensor(memory, args.output, "output");
        });
}

/// Gathers rows of args.table. On a GPU it does not wait; on the emulator it is done.
///
/// Errors: those of can_implement, with which nothing ran, and of launch.
template <class Target, kernel_choice Choice = kernel_choice::all, class Device, class T, class Index>
status launch_gather(Device&& device, const gather_arguments<T, Index>& args)
{
    return detail::launch_dispatched(
        device, "gather", [&](const auto& f) { return dispatch_gather<Target, Choice>(args, f); },
        [&](auto& memory) {
            add_tensor(memory, args.table, "table");
            add_tensor(memory, args.indices, "indices");
            add_tensor(memory, args.output, "output");
            memory.write(args.out_of_range, sizeof(int), "out_of_range");
        });
}

} // namespace tegula
