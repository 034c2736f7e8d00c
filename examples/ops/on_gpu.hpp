#pragma once

// A family's kernels on the GPU, for CUDA and for HIP from the same sources.

#include "problem.hpp"

#include <tegula/host/gpu_launch.hpp>

namespace ops_example {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

/// Runs Kernels::launch(device, problem, addresses) on the GPU: once, then a few times for the mean time.
template <class Kernels, class Problem>
run_result run_on_gpu(Problem& p, const run_options& options)
{
    run_result result;
    if (result.status = tegula::check_runtime(TEGULA_RUNTIME(SetDevice)(options.gpu), "choosing the GPU");
        !result.status)
        return result;
    tegula::gpu_device device;
    result.status = run_on(
        device, p, [](auto& on, const Problem& x, const addresses& at) { return Kernels::launch(on, x, at); },
        [&](const auto& start) {
            constexpr int launches = 5;
            tegula::status s = start();
            tegula::gpu_timer timer;
            timer.start();
            for (int i = 0; i < launches && s; ++i)
                s = start();
            if (s)
                s = timer.stop(result.seconds);
            result.seconds /= launches;
            return s;
        });
    return result;
}

/// Adds Kernels<Target, T> of the types Ts.
template <class Problem, template <class, class> class Kernels, class Target, class... Ts>
bool add_on_gpu()
{
    return (add_kernel<Problem>({Target::chip().name, type_name<Ts>(), examples::device::gpu,
                                 tegula::kind_of_type<Ts>(), &run_on_gpu<Kernels<Target, Ts>, Problem>}) &&
            ...);
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace ops_example
