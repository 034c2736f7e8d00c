#pragma once

// The emulator's kernels of the backward pass.

#include "emulated.hpp"
#include "tiles_backward.hpp"

#include <cmath>
#include <vector>

namespace attention_example {

template <class Kernels>
struct emulated_backward
{
    using T = typename Kernels::element;
    using kernels = Kernels;

    static run_result run(const problem& p, const run_options& options)
    {
        const auto args = make_backward_arguments<T, score_of<Kernels>>(p);
        const auto count = Kernels::workspace_floats(args.forward);
        tegula::emulated_memory workspace;
        tegula::emulated_device device;
        device.config.checks = options.checks;
        device.config.progress = &examples::progress::report;
        run_result result;
        result.status = workspace.allocate(static_cast<std::size_t>(count) * sizeof(float));
        if (!result.status)
            return result;
        const auto start = std::chrono::steady_clock::now();
        result.status = tegula::launch(device, kernels{}, {args, {static_cast<float*>(workspace.data())}});
        result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        result.report = std::move(device.result.report);
        result.counters = device.result.counters;
        return result;
    }
};

/// Adds kernels of the backward pass on the emulator, each for inputs of that type.
template <class... Kernels>
bool add_emulated_backward(const char* type)
{
    return (
        add_backward_kernels(make_backward_entry<Kernels>(type, device::emulator, &emulated_backward<Kernels>::run)) &&
        ...);
}

} // namespace attention_example
