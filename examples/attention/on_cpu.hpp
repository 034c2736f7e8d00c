#pragma once

// Kernels that run on the CPU itself. Each type's are compiled in a file of their own.

#include "tiles.hpp"

#include <tegula/attention_cpu.hpp>

#include <chrono>

namespace attention_example {

template <class Tile>
run_result run_on_cpu(const problem& p, const run_options&)
{
    return dispatch<Tile>(p, [](auto kernel, const auto& args) {
        run_result result;
        tegula::cpu_device device;
        // The first run starts threads and touches memory; quick ones are run once more, and that time counts.
        for (int i = 0; i < 2; ++i) {
            const auto start = std::chrono::steady_clock::now();
            result.status = tegula::launch_attention(device, kernel, args);
            result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            if (!result.status || result.seconds > 1)
                break;
        }
        return result;
    });
}

/// Adds the kernels of Target for inputs of type T.
template <class Target, class T>
bool add_cpu_kernels(const char* type)
{
    using tile = tile_of<Target, T, 256>; // fewer columns take as long as they are
    return add_kernels({make_entry<tile>(type, device::cpu, &run_on_cpu<tile>)});
}

} // namespace attention_example
