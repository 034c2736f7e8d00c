#pragma once

// Kernels that run on the CPU itself. Each type's are compiled in a file of their own.

#include "tiles.hpp"

#include <tegula/attention_cpu.hpp>

#include <chrono>

namespace attention_example {

template <class Kernel>
run_result run_kernel_on_cpu(Kernel kernel, const typename Kernel::arguments& args)
{
    run_result result;
    tegula::cpu_device device;
    // The first run starts threads and touches memory; quick ones are run once more, and that time counts.
    for (int i = 0; i < 2; ++i) {
        const auto start = std::chrono::steady_clock::now();
        result.status = tegula::launch(device, kernel, args);
        result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (!result.status || result.seconds > 1)
            break;
    }
    return result;
}

template <class Tile>
run_result run_on_cpu(const problem& p, const run_options&)
{
    return dispatch<Tile>(p, [](auto kernel, const auto& args) { return run_kernel_on_cpu(kernel, args); });
}

template <class Kernel>
run_result run_feature_on_cpu(const problem& p, const run_options&)
{
    return run_kernel_on_cpu(Kernel{}, make_feature_arguments<Kernel>(p));
}

/// Adds the kernels of Target for inputs of type T, for up to so many columns: fewer take as long as they are.
template <class Target, class T, index_t Columns>
bool add_cpu_kernels(const char* type)
{
    using tile = tile_of<Target, T, Columns>;
    return add_kernels({make_entry<tile>(type, device::cpu, &run_on_cpu<tile>)});
}

/// Adds those with dropout.
template <class Target, class T, index_t Columns>
bool add_cpu_dropout(const char* type)
{
    using kernel = feature_kernel<Target, T, Columns, dropping_variant>;
    return add_kernels({make_feature_entry<kernel>(type, device::cpu, &run_feature_on_cpu<kernel>)});
}

/// Adds those of paged caches.
template <class Target, class T, index_t Columns>
bool add_cpu_pages(const char* type)
{
    using kernel = feature_kernel<Target, T, Columns, paged_variant>;
    return add_kernels({make_feature_entry<kernel>(type, device::cpu, &run_feature_on_cpu<kernel>)});
}

} // namespace attention_example
