#pragma once

#include <tegula/host/launch_dispatched.hpp>
#include <tegula/kernel/reduction/can_implement.hpp>
#include <tegula/kernel/reduction/topk_kernel.hpp>

/// Reductions on a device: gpu_device (gpu_launch.hpp) or emulated_device (emulated_device.hpp).

namespace tegula {

namespace detail {

template <class Target, kernel_choice Choice = kernel_choice::all, class Device, class Plan>
status launch_reduction_plan(Device& device, const Plan& plan, const char* name)
{
    return dispatch_reduction<Target, Choice>(plan, [&](auto kernel, const auto& chosen) {
        launch_config config;
        config.grid = {chosen.blocks, chosen.splits, 1};
        config.name = name;
        return launch(device, config, kernel, chosen);
    });
}

} // namespace detail

/// Reduces args.input by a kernel of Target, or by two where several blocks share a result. On a GPU it does not wait; on
/// the emulator it is done.
///
/// Errors: those of can_implement, with which nothing ran, and of launch.
template <class Target, kernel_choice Choice = kernel_choice::all, class Device, class Reducer, class O>
status launch_reduction(Device&& device, const reduction_arguments<Reducer, O>& args)
{
    if (status s = can_implement(args); !s)
        return device.refuse(s);
    const auto plan = plan_reduction(args);
    return device.with_memory(
        [&](auto& memory) {
            add_tensor(memory, args.input, "input");
            add_tensor(memory, args.output, "output");
            if (args.workspace != nullptr)
                memory.write(args.workspace, reduction_workspace_bytes(args), "workspace");
        },
        [&] {
            status s = detail::launch_reduction_plan<Target, Choice>(device, plan, "reduction");
            if (s && plan.splits > 1)
                s = detail::launch_reduction_plan<Target, Choice>(device, plan_partials(plan),
                                                                  "reduction of partial results");
            return s;
        });
}

/// Finds the largest elements of rows, topk_kernel::half in each launch. Errors: those of can_implement, with which nothing
/// ran, and of launch.
template <class Target, class Device, class T>
status launch_topk(Device&& device, const topk_arguments<T>& args)
{
    const auto launch_from = [&](long_index_t first) {
        return detail::launch_dispatched(
            device, "top-k",
            [&](const auto& f) {
                if (const status s = can_implement(args); !s)
                    return s;
                const topk_plan<T> plan = plan_topk(args, first);
                if constexpr (Target::vendor != vendor::x86)
                    if (has_vector_rows(plan))
                        return f(topk_kernel<Target, T, widest_vector<T>>{}, plan);
                return f(topk_kernel<Target, T>{}, plan);
            },
            [&](auto& memory) {
                add_tensor(memory, args.input, "input");
                add_tensor(memory, args.values, "values");
                add_tensor(memory, args.indices, "indices");
            });
    };
    status s = launch_from(0);
    const int axis = args.axis < 0 ? args.axis + args.values.rank : args.axis;
    for (long_index_t first = topk_kernel<Target, T>::half; s && first < args.values.lengths[axis];
         first += topk_kernel<Target, T>::half)
        s = launch_from(first);
    return s;
}

} // namespace tegula
