#pragma once

// The emulator's kernels. cmake/kernels.py writes the files that instantiate them.

#include "examples/common/arrays.hpp"
#include "examples/common/progress.hpp"
#include "tiles.hpp"

#include <tegula/host/emulated_device.hpp>
#include <tegula/kernel/gemm/forms/stream_k.hpp>

#include <chrono>

namespace gemm_example {

/// Runs launch(args, config), which returns an emulator::launch_result, and tells how long it took.
template <class Input, class Launch>
run_result run_emulated(const problem& p, const run_options& options, const Launch& launch)
{
    const auto args = make_arguments<Input>(p);
    run_result result;
    result.status = tegula::can_implement(args);
    if (!result.status)
        return result;
    tegula::emulator::run_config config;
    config.checks = options.checks;
    config.progress = &examples::progress::report;
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
    static constexpr bool shares_k = false;
    using input = typename Tile::a_type;
    using kernels = tegula::gemm_kernels<Tile, tegula::accumulator_of<input>, epilogue_of<input>>;

    static run_result run(const problem& p, const run_options& options)
    {
        return run_emulated<input>(p, options, [](const auto& args, const auto& config) {
            return kernels::dispatch(args, [&](auto kernel) { return tegula::emulate(kernel, args, config); });
        });
    }
};

/// Memory for partial sums, where it is not more than the machine has.
class emulated_workspace
{
public:
    tegula::status allocate(long_index_t bytes)
    {
        if (static_cast<double>(bytes) > examples::memory_of_machine())
            return tegula::status(tegula::status_code::out_of_memory, "the partial sums take ")
                   << bytes / 1000000000 << " GB, which this machine does not have; take fewer --splits";
        memory_.resize(static_cast<std::size_t>(bytes > 0 ? bytes : 0));
        return {};
    }
    tegula::gemm_workspace get() { return {memory_.data(), static_cast<long_index_t>(memory_.size())}; }

private:
    std::vector<std::byte> memory_;
};

/// A tile's split-K or stream-K.
template <class Tile>
struct emulated_split_k
{
    static constexpr bool shares_k = true;
    using input = typename Tile::a_type;
    using kernels = tegula::gemm_kernels<Tile, tegula::accumulator_of<input>, epilogue_of<input>>;

    static run_result run(const problem& p, const run_options& options)
    {
        return run_emulated<input>(p, options, [&](const auto& args, const auto& config) {
            return kernels::dispatch(args, [&](auto kernel) {
                using plain = decltype(kernel);
                // A block on each compute unit.
                constexpr int workers = tegula::chip::speed_of(Tile::target::chip()).compute_units;
                return options.sharing.stream
                           ? share<tegula::stream_k_gemm<plain>>(args, workers, config)
                           : share<tegula::split_k_gemm<plain>>(args, options.sharing.splits, config);
            });
        });
    }

private:
    template <class Shared>
    static tegula::emulator::launch_result share(const typename Shared::plain::arguments& product, int splits,
                                                 const tegula::emulator::run_config& config)
    {
        typename Shared::arguments args{product, splits, {}};
        emulated_workspace workspace;
        tegula::emulator::launch_result result;
        result.status = workspace.allocate(Shared::workspace_bytes(args));
        if (!result.status)
            return result;
        args.workspace = workspace.get();
        return tegula::emulate(Shared{}, args, config);
    }
};

/// Adds tiles of one --type of a target; Run<Tile>::run emulates a tile's kernels.
template <template <class> class Run, class Inputs, class... TileNames>
bool add_emulated()
{
    constexpr type_list<TileNames...> tiles{};
    if constexpr ((Run<tile_of<Inputs, TileNames>>::shares_k || ...))
        return add_kernels(make_entries<Inputs, Run>(device::emulator, tiles));
    else
        return add_kernels(make_planned_entries<Inputs, Run>(device::emulator, tiles));
}

} // namespace gemm_example
