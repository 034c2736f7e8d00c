#pragma once

// The emulator's kernels. Each architecture's are compiled in a file of their own.

#include "tiles.hpp"

#include <tegula/host/emulated_gemm.hpp>

#include <chrono>

namespace gemm_example {

template <class Tile>
struct emulated
{
    using input = typename Tile::a_type;
    using kernels = tegula::gemm_kernels<Tile, tegula::accumulator_of<input>, epilogue_of<input>>;

    static run_result run(const problem& p, const run_options& options)
    {
        const auto args = make_arguments<input>(p);
        run_result result;
        result.status = tegula::check_gemm(args);
        if (!result.status)
            return result;
        tegula::emulator::launch_config config;
        config.checks = options.checks;
        const bool aligned = p.beta == 0 || tegula::has_aligned_rows(p.source, p.source.row_stride, p.m, p.batch);
        const auto start = std::chrono::steady_clock::now();
        auto launch =
            kernels::dispatch(args, aligned, [&](auto kernel) { return tegula::emulate_gemm(kernel, args, config); });
        result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        result.status = launch.status;
        result.report = std::move(launch.report);
        result.counters = launch.counters;
        return result;
    }
};

/// Adds the emulator's kernels of Target for one --type.
template <class Target, template <class> class Inputs>
bool add_emulated_kernels()
{
    using tiles = tegula::gemm_tiles<Target, typename Inputs<Target>::type>;
    if constexpr (tiles::has_cdna_tiles)
        add_kernels(make_entries<Inputs, Target, emulated, typename tiles::huge, typename tiles::wide>(
            device::emulator, {"huge", "wide"}));
    return add_kernels(
        make_entries<Inputs, Target, emulated, typename tiles::large, typename tiles::medium, typename tiles::flat>(
            device::emulator, {"large", "medium", "flat"}));
}

} // namespace gemm_example
