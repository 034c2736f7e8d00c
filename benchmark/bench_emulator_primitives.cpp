// Cost of the emulator's primitives in nanoseconds a lane on one CPU thread. `per_lane` is the figure to read.
// The argument is 1 with checks on, 0 with checks off.

#include <tegula/emulator.hpp>

#include <benchmark/benchmark.h>

#include <vector>

namespace {

namespace emu = tegula::emulator;

constexpr int threads = 256;
constexpr int repeats = 1000;

struct bytes16
{
    float x[4];
};

/// Runs `body(i)` `repeats` times in each thread of one block of four waves.
template <class Body>
void measure(benchmark::State& state, const Body& body)
{
    std::vector<float> in(threads * 64);
    std::vector<float> out(threads * 64);
    emu::run_config config;
    config.chip = &tegula::chip::gfx942;
    config.block_threads = threads;
    config.shared_bytes = threads * 16;
    config.checks = state.range(0) != 0;
    config.cpu_threads = 1;
    config.memory.read(in.data(), in.size() * 4, "in").write(out.data(), out.size() * 4, "out");
    for (auto _ : state) {
        const emu::launch_result result = emu::launch(config, [&] {
            for (int i = 0; i < repeats; ++i)
                body(i, in.data(), out.data());
        });
        if (!result.status.ok())
            state.SkipWithError(result.status.message());
    }
    state.counters["per_lane"] =
        benchmark::Counter(static_cast<double>(repeats) * threads * 1e-9,
                           benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void launch_empty(benchmark::State& state)
{
    measure(state, [](int, const float*, float*) {});
}

void wave_operation(benchmark::State& state)
{
    measure(state, [](int i, const float*, float*) {
        int mine = i;
        emu::wave_operation("sum", emu::operation_kind::matrix, mine,
                            [](int* const* lanes, int count) { *lanes[0] += *lanes[count - 1]; });
        benchmark::DoNotOptimize(mine);
    });
}

void block_barrier(benchmark::State& state)
{
    measure(state, [](int, const float*, float*) { emu::block_barrier(); });
}

/// One store and one load of 16 bytes between two barriers.
void shared_exchange(benchmark::State& state)
{
    measure(state, [](int, const float*, float*) {
        auto* tile = reinterpret_cast<bytes16*>(emu::shared_memory());
        bytes16 value{};
        emu::store_shared<16>(tile + emu::thread_id(), &value);
        emu::block_barrier();
        emu::load_shared<16>(&value, tile + (emu::thread_id() ^ 64));
        emu::block_barrier();
        benchmark::DoNotOptimize(value);
    });
}

void global_load(benchmark::State& state)
{
    measure(state, [](int i, const float* in, float*) {
        bytes16 value;
        emu::load_global<16>(&value, in + (i % 16 * threads + emu::thread_id()) * 4);
        benchmark::DoNotOptimize(value);
    });
}

void global_store(benchmark::State& state)
{
    measure(state, [](int i, const float*, float* out) {
        const bytes16 value{};
        emu::store_global<16>(out + (i % 16 * threads + emu::thread_id()) * 4, &value);
    });
}

BENCHMARK(launch_empty)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);
BENCHMARK(wave_operation)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);
BENCHMARK(block_barrier)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);
BENCHMARK(shared_exchange)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);
BENCHMARK(global_load)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);
BENCHMARK(global_store)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

} // namespace
