#pragma once

// The emulator's kernels. cmake/kernels.py writes the files that instantiate them.

#include "examples/common/progress.hpp"
#include "tiles.hpp"

#include <tegula/host/emulated_device.hpp>

#include <chrono>

namespace attention_example {

/// The result of launch(device).
template <class Launch>
run_result emulate(const run_options& options, const Launch& launch)
{
    tegula::emulated_device device;
    device.config.checks = options.checks;
    device.config.progress = &examples::progress::report;
    run_result result;
    const auto start = std::chrono::steady_clock::now();
    result.status = launch(device);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result.report = std::move(device.result.report);
    result.counters = device.result.counters;
    return result;
}

template <class Tile>
run_result run_emulated(const problem& p, const run_options& options)
{
    return dispatch<Tile>(p, [&](auto kernel, const auto& args) {
        return emulate(options, [&](auto& device) { return tegula::launch(device, kernel, args); });
    });
}

template <class Tile>
run_result run_emulated_latent(const problem& p, const run_options& options)
{
    return dispatch_latent<Tile>(p, [&](auto kernel, const auto& args) {
        return emulate(options, [&](auto& device) { return tegula::launch(device, kernel, args); });
    });
}

template <class Kernel>
run_result run_emulated_feature(const problem& p, const run_options& options)
{
    return emulate(options,
                   [&](auto& device) { return tegula::launch(device, Kernel{}, make_feature_arguments<Kernel>(p)); });
}

template <class Kernel>
run_result run_emulated_decoding(const problem& p, const run_options& options)
{
    return emulate(options, [&](auto& device) {
        return with_workspace<Kernel, tegula::emulated_device>(
            p, [&](const auto& args) { return tegula::launch(device, Kernel{}, args); });
    });
}

/// Adds the emulator's kernels of Target for inputs of type T, for up to so many columns each.
template <class Target, class T, index_t... Columns>
bool add_emulated_kernels(const char* type)
{
    return add_kernels({make_entry<tile_of<Target, T, Columns>>(type, device::emulator,
                                                                &run_emulated<tile_of<Target, T, Columns>>)...});
}

/// Adds those with dropout.
template <class Target, class T, index_t Columns>
bool add_emulated_dropout(const char* type)
{
    using kernel = feature_kernel<Target, T, Columns, dropping_variant>;
    return add_kernels({make_feature_entry<kernel>(type, device::emulator, &run_emulated_feature<kernel>)});
}

/// Adds those of paged caches.
template <class Target, class T, index_t Columns>
bool add_emulated_pages(const char* type)
{
    using kernel = feature_kernel<Target, T, Columns, paged_variant>;
    return add_kernels({make_feature_entry<kernel>(type, device::emulator, &run_emulated_feature<kernel>)});
}

/// Adds those of the latent form.
template <class Target, class T, index_t Columns>
bool add_emulated_latent(const char* type)
{
    using tile = latent_tile<Target, T, Columns>;
    return add_kernels({make_entry<tile>(type, device::emulator, &run_emulated_latent<tile>)});
}

template <class Kernel>
run_result run_emulated_warp_specialized(const problem& p, const run_options& options)
{
    return emulate(options, [&](auto& device) {
        return tegula::launch(device, Kernel{},
                              {make_arguments<typename Kernel::element, float, tegula::unchanged_score>(p)});
    });
}

/// Adds the warp-specialised ones, for up to so many columns each.
template <class Target, class T, index_t... Columns>
bool add_emulated_warp_specialized(const char* type)
{
    return add_kernels({make_warp_specialized_entry<warp_specialized_kernel<Target, T, Columns>>(
        type, device::emulator, &run_emulated_warp_specialized<warp_specialized_kernel<Target, T, Columns>>)...});
}

/// Adds those of paged caches.
template <class Target, class T, index_t Columns>
bool add_emulated_warp_specialized_pages(const char* type)
{
    using kernel = warp_specialized_pages_kernel<Target, T, Columns>;
    return add_kernels(
        {make_warp_specialized_entry<kernel>(type, device::emulator, &run_emulated_warp_specialized<kernel>)});
}

/// Adds those for few queries.
template <class Target, class T, index_t Columns>
bool add_emulated_decoding(const char* type)
{
    using kernel = decoding_kernel<Target, T, Columns>;
    return add_kernels({make_decoding_entry<kernel>(type, device::emulator, &run_emulated_decoding<kernel>)});
}

} // namespace attention_example
