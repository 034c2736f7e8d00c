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
    using kernels = tegula::multistage_kernels<Tile, tegula::accumulator_of<input>, epilogue_of<input>>;

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

template <class Target>
bool add_emulated_kernels()
{
    using types = types_of<Target>;
    constexpr auto where = device::emulator;
    add_kernels(make_entries<Target, tegula::bfloat16, emulated>(where, "bf16", element::bf16));
    add_kernels(make_entries<Target, tegula::half, emulated>(where, "f16", element::f16));
    add_kernels(make_entries<Target, typename types::tf32, emulated>(where, "tf32",
                                                                     types::has_tf32 ? element::tf32 : element::f32));
    add_kernels(make_entries<Target, std::int8_t, emulated>(where, "int8", element::int8));
    if constexpr (types::has_fp8)
        add_kernels(make_entries<Target, typename types::fp8, emulated>(
            where, "fp8_e4m3", types::has_fp8_fnuz ? element::fp8_e4m3_fnuz : element::fp8_e4m3));
    return true;
}

} // namespace gemm_example
