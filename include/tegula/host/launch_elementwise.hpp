#pragma once

#include <tegula/host/launch_dispatched.hpp>
#include <tegula/kernel/elementwise/can_implement.hpp>
#include <tegula/kernel/elementwise/rotary.hpp>
#include <tegula/kernel/pooling/pooling_kernel.hpp>

/// Elementwise operations and pooling on a device: gpu_device (gpu_launch.hpp) or emulated_device (emulated_device.hpp).

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
    return detail::launch_dispatched(
        device, name, [&](const auto& f) { return dispatch_elementwise<Target>(args, f); },
        [&](auto& memory) {
            detail::add_elementwise(memory, args, std::make_integer_sequence<int, arguments::num_outputs>{},
                                    std::make_integer_sequence<int, arguments::num_inputs>{});
        });
}

/// Rotates the pairs of args.input. Errors and waiting: as of launch_elementwise.
template <class Target, class Device, class T>
status launch_rotary(Device&& device, const rotary_arguments<T>& args)
{
    return detail::launch_dispatched(
        device, "rotary embedding", [&](const auto& f) { return dispatch_rotary<Target>(args, f); },
        [&](auto& memory) {
            add_tensor(memory, args.input, "input");
            add_tensor(memory, args.output, "output");
            add_tensor(memory, args.positions, "positions");
            memory.read(args.turns,
                        static_cast<std::size_t>(args.input.lengths[args.input.rank - 1] / 2) * sizeof(std::uint64_t),
                        "turns");
        });
}

/// Pools windows of args.input. Errors and waiting: as of launch_elementwise.
template <class Target, class Device, class T>
status launch_pooling(Device&& device, const pooling_arguments<T>& args)
{
    return detail::launch_dispatched(
        device, "pooling", [&](const auto& f) { return dispatch_pooling<Target>(args, f); },
        [&](auto& memory) {
            add_tensor(memory, args.input, "input");
            add_tensor(memory, args.output, "output");
        });
}

} // namespace tegula
