// A bf16 GEMM for gfx942 on the emulator, with all checks and with none. The arguments are the size (m = n = k) and 1
// for checks; `bar` is the time in seconds that two cores must stay below, `of_bar` what was taken of it.
//
// `cmake --build build --target record_emulator` keeps the figures in results/emulator.json.

#include <tegula/gemm.hpp>
#include <tegula/host/emulated_device.hpp>
#include <tegula/reference/random.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <span>
#include <vector>

namespace {

using namespace tegula;

using target = arch::gfx942;
using tile = gemm_tiles<target, bfloat16>::t128x128;
using kernel = gemm_kernel<tile, operand_order::k_contiguous, operand_order::k_contiguous, float, epilogue::linear<>,
                           output_access::vectors>;

double bar(long_index_t size, bool checks)
{
    if (size == 256)
        return checks ? 0.15 : 0.05;
    return checks ? 6.0 : 1.5;
}

void gemm(benchmark::State& state)
{
    const long_index_t size = state.range(0);
    const bool checks = state.range(1) != 0;
    const auto elements = static_cast<std::size_t>(size * size);
    std::vector<bfloat16> a(elements), b(elements);
    std::vector<float> c(elements);
    fill_normal(std::span(a), 1);
    fill_normal(std::span(b), 2);
    kernel::arguments arguments{};
    arguments.m = arguments.n = arguments.k = size;
    arguments.batch = 1;
    arguments.a = {a.data(), size, 1};
    arguments.b = {b.data(), 1, size};
    arguments.c = {c.data(), size, 1};
    arguments.epilogue = epilogue::make_linear<float, float>(1.0f, 0.0f, {}, nullptr, activation::none);

    emulator::run_config config;
    config.checks = checks;
    double least = 1e9;
    for (auto _ : state) {
        const auto start = std::chrono::steady_clock::now();
        const emulator::launch_result result = emulate(kernel{}, arguments, config);
        least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        if (!result.status.ok())
            state.SkipWithError(result.status.message());
    }
    state.counters["least"] = least;
    state.counters["bar"] = bar(size, checks);
    state.counters["of_bar"] = least / bar(size, checks);
    state.counters["MAC"] = benchmark::Counter(static_cast<double>(size) * static_cast<double>(size * size),
                                               benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK(gemm)
    ->ArgNames({"size", "checks"})
    ->Args({256, 1})
    ->Args({1024, 1})
    ->Args({256, 0})
    ->Args({1024, 0})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

} // namespace
