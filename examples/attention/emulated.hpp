#pragma once

// The emulator's kernels. Each architecture's are compiled in a file of their own.

// examples/common/emulator.cpp has the emulator itself.
#define TEGULA_EMULATOR_ELSEWHERE

#include "examples/common/progress.hpp"
#include "tiles.hpp"

#include <tegula/host/emulated_device.hpp>
#include <tegula/host/launch_attention.hpp>

#include <chrono>

namespace attention_example {

template <class Kernel>
run_result emulate(const typename Kernel::arguments& args, const run_options& options)
{
    tegula::emulated_device device;
    device.config.checks = options.checks;
    device.config.progress = &examples::progress::report;
    run_result result;
    const auto start = std::chrono::steady_clock::now();
    result.status = tegula::launch_attention(device, Kernel{}, args);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result.report = std::move(device.result.report);
    result.counters = device.result.counters;
    return result;
}

template <class Tile>
run_result run_emulated(const problem& p, const run_options& options)
{
    return dispatch<Tile>(p, [&](auto kernel, const auto& args) { return emulate<decltype(kernel)>(args, options); });
}

/// Adds the emulator's kernels of Target for inputs of type T.
template <class Target, class T>
bool add_emulated_kernels(const char* type)
{
    return [&]<index_t... Columns>(std::integer_sequence<index_t, Columns...>) {
        return add_kernels({make_entry<tile_of<Target, T, Columns>>(type, device::emulator,
                                                                    &run_emulated<tile_of<Target, T, Columns>>)...});
    }(tile_columns{});
}

} // namespace attention_example
