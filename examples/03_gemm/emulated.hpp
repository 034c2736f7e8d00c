#pragma once

// The emulator's kernels. Each architecture's are compiled in a file of their own.

#include "tiles.hpp"

#include <tegula/host/emulated_gemm.hpp>

#include <chrono>

namespace gemm_example {

/// Runs launch(args, config), which returns an emulator::launch_result, and tells how long it took.
template <class Input, class Launch>
run_result run_emulated(const problem& p, const run_options& options, const Launch& launch)
{
    const auto args = make_arguments<Input>(p);
    run_result result;
    result.status = tegula::check_gemm(args);
    if (!result.status)
        return result;
    tegula::emulator::launch_config config;
    config.checks = options.checks;
    const auto start = std::chrono::steady_clock::now();
    tegula::emulator::launch_result run = launch(args, config);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result.status = run.status;
    result.report = std::move(run.report);
    result.counters = run.counters;
    return result;
}

template <class Tile>
struct emulated
{
    using input = typename Tile::a_type;
    using kernels = tegula::gemm_kernels<Tile, tegula::accumulator_of<input>, epilogue_of<input>>;

    static run_result run(const problem& p, const run_options& options)
    {
        const bool aligned = p.beta == 0 || tegula::has_aligned_rows(p.source, p.source.row_stride, p.m, p.batch);
        return run_emulated<input>(p, options, [&](const auto& args, const auto& config) {
            return kernels::dispatch(args, aligned,
                                     [&](auto kernel) { return tegula::emulate_gemm(kernel, args, config); });
        });
    }
};

/// Adds the emulator's kernels of Target for one --type.
template <class Target, template <class> class Inputs>
bool add_emulated_kernels()
{
    using inputs = Inputs<Target>;
    return add_kernels(
        make_entries<inputs, emulated>(device::emulator, shipped_tiles<Target, typename inputs::type>{}));
}

} // namespace gemm_example
