#pragma once

// A family's kernels on the emulator. Each architecture's are compiled in a file of their own.

// examples/common/emulator.cpp has the emulator itself.
#define TEGULA_EMULATOR_ELSEWHERE

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

/// Adds Kernels<Target, T> of every type T that inputs may be rounded to.
template <class Problem, template <class, class> class Kernels, class Target>
bool add_emulated()
{
    const auto add = [](auto tag) {
        using type = typename decltype(tag)::type;
        return add_kernel<Problem>({Target::chip().name, type_name<type>(), examples::device::emulator,
                                    tegula::kind_of_type<type>(), &run_emulated<Kernels<Target, type>, Problem>});
    };
    return add(tegula::type_tag<float>{}) && add(tegula::type_tag<tegula::half>{}) &&
           add(tegula::type_tag<tegula::bfloat16>{});
}

} // namespace ops_example
