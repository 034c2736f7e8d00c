#pragma once

#include <tegula/host/launch.hpp>
#include <tegula/host/tensor_memory.hpp>
#include <tegula/kernel/movement/gather_kernel.hpp>
#include <tegula/kernel/movement/permute.hpp>

/// Kernels that move elements on a device: gpu_device (gpu_launch.hpp) or emulated_device (emulated_device.hpp).

namespace tegula {

namespace detail {

/// Launches what dispatch(f) calls f(kernel, plan) with; add(memory) says what memory it touches.
template <class Device, class Dispatch, class Add>
status launch_dispatched(Device& device, const char* name, const Dispatch& dispatch, const Add& add)
{
    bool started = false;
    const status s = dispatch([&](auto kernel, const auto& plan) {
        started = true;
        launch_config config;
        config.grid.x = plan.blocks;
        config.name = name;
        return device.with_memory(add, [&] { return launch(device, config, kernel, plan); });
    });
    return started ? s : device.refuse(s);
}

} // namespace detail

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
template <class Target, class Device, class T, class Index>
status launch_gather(Device&& device, const gather_arguments<T, Index>& args)
{
    return detail::launch_dispatched(
        device, "gather", [&](const auto& f) { return dispatch_gather<Target>(args, f); },
        [&](auto& memory) {
            add_tensor(memory, args.table, "table");
            add_tensor(memory, args.indices, "indices");
            add_tensor(memory, args.output, "output");
            memory.write(args.out_of_range, sizeof(int), "out_of_range");
        });
}

} // namespace tegula
