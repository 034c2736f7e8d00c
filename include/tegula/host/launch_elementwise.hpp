#pragma once

#include <tegula/host/launch.hpp>
#include <tegula/host/tensor_memory.hpp>
#include <tegula/kernel/elementwise/can_implement.hpp>

/// Elementwise operations on a device: gpu_device (gpu_launch.hpp) or emulated_device (emulated_device.hpp).

namespace tegula {

namespace detail {

template <class Arguments, int... Os, int... Is>
void add_elementwise(emulator::memory_ranges& memory, const Arguments& args, std::integer_sequence<int, Os...>,
                     std::integer_sequence<int, Is...>)
{
    (add_tensor(memory, get<Os>(args.outputs), "output"), ...);
    (add_tensor(memory, get<Is>(args.inputs), "input"), ...);
}

} // namespace detail

/// Computes args.function of all elements, by a kernel of Target. On a GPU it does not wait; on the emulator it is done.
///
/// Errors: those of can_implement, with which nothing ran, and of launch.
template <class Target, class Device, class F, class Outputs, class Inputs>
status launch_elementwise(Device&& device, const elementwise_arguments<F, Outputs, Inputs>& args,
                          const char* name = "elementwise")
{
    using arguments = elementwise_arguments<F, Outputs, Inputs>;
    bool started = false;
    const status s = dispatch_elementwise<Target>(args, [&](auto kernel, const auto& plan) {
        started = true;
        launch_config config;
        config.grid.x = plan.blocks;
        config.name = name;
        return device.with_memory(
            [&](auto& memory) {
                detail::add_elementwise(memory, args, std::make_integer_sequence<int, arguments::num_outputs>{},
                                        std::make_integer_sequence<int, arguments::num_inputs>{});
            },
            [&] { return launch(device, config, kernel, plan); });
    });
    return started ? s : device.refuse(s);
}

} // namespace tegula
