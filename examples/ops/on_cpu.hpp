#pragma once

// A family's kernels on the CPU itself.

#include "problem.hpp"

#include <tegula/host/cpu_device.hpp>
#include <tegula/kernel/gemm/cpu/prologue.hpp>

#include <chrono>

namespace ops_example {

/// Runs Kernels::launch(device, problem, addresses) on the CPU: once, which starts threads and touches memory, then again
/// for the time if that was quick.
template <class Kernels, class Problem>
run_result run_on_cpu(Problem& p, const run_options&)
{
    tegula::cpu_device device;
    run_result result;
    result.status = run_on(
        device, p, [](auto& on, const Problem& x, const addresses& at) { return Kernels::launch(on, x, at); },
        [&](const auto& start) {
            tegula::status s;
            for (int i = 0; i < 2; ++i) {
                const auto begin = std::chrono::steady_clock::now();
                s = start();
                result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
                if (!s || result.seconds > 1)
                    break;
            }
            return s;
        });
    return result;
}

/// Adds Kernels<Target, T> of the types Ts.
template <class Problem, template <class, class> class Kernels, class Target, class... Ts>
bool add_on_cpu()
{
    return (add_kernel<Problem>({Target::chip().name, type_name<Ts>(), examples::device::cpu,
                                 tegula::kind_of_type<Ts>(), &run_on_cpu<Kernels<Target, Ts>, Problem>}) &&
            ...);
}

} // namespace ops_example
