#pragma once

// The backward pass on the CPU itself.

#include "on_cpu.hpp"
#include "tiles_backward.hpp"

#include <tegula/host/cpu_attention_backward.hpp>

namespace attention_example {

/// Kernels that change scores serve every problem without dropout.
template <class Kernels>
struct backward_on_cpu
{
    using T = typename Kernels::element;
    using kernel =
        tegula::cpu_attention_backward<typename Kernels::target, typename Kernels::variant, typename Kernels::problem>;

    static run_result run(const problem& p, const run_options&)
    {
        const auto args = make_backward_arguments<T, score_of<Kernels>>(p);
        run_result result;
        tegula::cpu_device device;
        // As of the forward pass, once more if that was quick.
        for (int i = 0; i < 2; ++i) {
            const auto start = std::chrono::steady_clock::now();
            result.status = tegula::launch(device, kernel{}, args);
            result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            if (!result.status || result.seconds > 1)
                break;
        }
        return result;
    }
};

/// Adds kernels of the backward pass on the CPU, each for inputs of that type.
template <class... Kernels>
bool add_cpu_backward(const char* type)
{
    return (add_backward_kernels(make_backward_entry<Kernels>(type, device::cpu, &backward_on_cpu<Kernels>::run)) &&
            ...);
}

} // namespace attention_example
