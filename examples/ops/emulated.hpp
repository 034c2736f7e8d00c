#pragma once

// A family's kernels on the emulator.

#include "examples/common/progress.hpp"
#include "problem.hpp"

#include <tegula/host/emulated_device.hpp>

#include <chrono>

namespace ops_example {

/// Runs Kernels::launch(device, problem, addresses) on the emulator.
template <class Kernels, class Problem>
run_result run_emulated(Problem& p, const run_options& options)
{
    tegula::emulated_device device;
    device.config.checks = options.checks;
    device.config.progress = &examples::progress::report;
    run_result result;
    result.status = run_on(
        device, p, [](auto& on, const Problem& x, const addresses& at) { return Kernels::launch(on, x, at); },
        [&](const auto& start) {
            const auto begin = std::chrono::steady_clock::now();
            const tegula::status s = start();
            result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
            return s;
        });
    result.report = std::move(device.result.report);
    result.counters = device.result.counters;
    return result;
}

/// Adds Kernels<Target, T> of the types Ts.
template <class Problem, template <class, class> class Kernels, class Target, class... Ts>
bool add_emulated()
{
    return (add_kernel<Problem>({Target::chip().name, type_name<Ts>(), examples::device::emulator,
                                 tegula::kind_of_type<Ts>(), &run_emulated<Kernels<Target, Ts>, Problem>}) &&
            ...);
}

} // namespace ops_example
