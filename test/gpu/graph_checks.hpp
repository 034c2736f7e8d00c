#pragma once

/// Launches that are captured in a graph, and the graph replayed with other data. Compiled by nvcc, or by clang as HIP.

#include "test/gpu/add_check.hpp"
#include "test/gpu/kernel_checks.hpp"

namespace tegula::test {

/// A user's own: adds to each number `step` times its place, so that the sums count the launches.
template <class Target>
struct adding
{
    using target = Target;
    static constexpr int block_threads = 64;

    std::int32_t step;

    TEGULA_HOST_DEVICE void operator()(std::int32_t* sums) const
    {
        const auto i = static_cast<std::int32_t>(target::block_id()[0] * block_threads + target::thread_id());
        sums[i] += step * i;
    }
};

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

/// A stream, and the graph of what was put there between begin() and end().
class captured_graph
{
public:
    captured_graph() = default;
    captured_graph(const captured_graph&) = delete;
    captured_graph& operator=(const captured_graph&) = delete;
    ~captured_graph()
    {
        if (executable_ != nullptr)
            static_cast<void>(TEGULA_RUNTIME(GraphExecDestroy)(executable_));
        if (graph_ != nullptr)
            static_cast<void>(TEGULA_RUNTIME(GraphDestroy)(graph_));
        if (device.stream != nullptr)
            static_cast<void>(TEGULA_RUNTIME(StreamDestroy)(device.stream));
    }

    gpu_device device;

    status begin()
    {
        const status s = check_runtime(TEGULA_RUNTIME(StreamCreate)(&device.stream), "creating a stream");
        // In this mode the runtime refuses what cannot be captured, from any thread.
        return s ? check_runtime(
                       TEGULA_RUNTIME(StreamBeginCapture)(device.stream, TEGULA_RUNTIME(StreamCaptureModeGlobal)),
                       "beginning a capture")
                 : s;
    }
    status end()
    {
        const status s = check_runtime(TEGULA_RUNTIME(StreamEndCapture)(device.stream, &graph_), "ending a capture");
#if defined(__HIP__)
        const auto instantiate = [&] { return hipGraphInstantiate(&executable_, graph_, nullptr, nullptr, 0); };
#else
        const auto instantiate = [&] { return cudaGraphInstantiate(&executable_, graph_, 0); };
#endif
        return s ? check_runtime(instantiate(), "instantiating a graph") : s;
    }
    status replay()
    {
        const status s = check_runtime(TEGULA_RUNTIME(GraphLaunch)(executable_, device.stream), "launching a graph");
        return s ? wait_for(device) : s;
    }

private:
    TEGULA_RUNTIME(Graph_t) graph_ = nullptr;
    TEGULA_RUNTIME(GraphExec_t) executable_ = nullptr;
};

/// How a warp-specialised kernel is launched that needs no workspace, and so nothing but launches; it waits by itself for
/// the launch before it.
struct run_warp_specialized_alone
{
    template <class Kernel, class Device, class Arguments>
    static status run(Device& device, const Arguments& product)
    {
        Device overlapping = device;
        overlapping.overlaps_launches = true;
        return launch(overlapping, Kernel{}, arguments_for(Kernel{}, product));
    }
};

/// A product and a user's function object, both launched for the first time within the capture; three replays, A anew for
/// each.
template <class Kernel, class Run>
std::string check_graph(const gemm_case& what, std::uint64_t seed)
{
    constexpr std::int32_t numbers = 5 * adding<typename Kernel::target>::block_threads;
    captured_graph graph;
    device_case<typename Kernel::target, gpu_device, typename Kernel::a_type, typename Kernel::c_type> problem(
        graph.device, what, seed);
    std::vector<std::int32_t> sums(numbers);
    const std::size_t bytes = numbers * sizeof(std::int32_t);
    device_memory memory;
    status s = problem.upload();
    s = s ? memory.copy_from(sums.data(), bytes) : s;
    s = s ? graph.begin() : s;
    if (!s)
        return s.message();
    status captured = Run::template run<Kernel>(graph.device, problem.arguments());
    if (captured) {
        launch_config config;
        config.name = "adding";
        config.grid.x = 5;
        captured =
            launch(graph.device, config, adding<typename Kernel::target>{3}, static_cast<std::int32_t*>(memory.data()));
    }
    s = graph.end(); // in any case: the stream cannot be used before
    if (!captured || !s)
        return std::string("capturing: ") + (captured ? s.message() : captured.message());
    for (std::int32_t replay = 1; replay <= 3; ++replay) {
        const std::string where = "replay " + std::to_string(replay) + ": ";
        s = problem.renew_a(10 * seed + static_cast<std::uint64_t>(replay));
        s = s ? graph.replay() : s;
        s = s ? memory.copy_to(sums.data(), bytes) : s;
        if (!s)
            return where + s.message();
        if (std::string wrong = problem.check_result(); !wrong.empty())
            return where + wrong;
        for (std::int32_t i = 0; i < numbers; ++i)
            if (sums[static_cast<std::size_t>(i)] != 3 * replay * i)
                return where + "sum " + std::to_string(i) + " is " + std::to_string(sums[static_cast<std::size_t>(i)]);
    }
    return {};
}

/// Adds the check of a kernel of operands in these orders.
template <class Kernel, class Run, operand_order A, operand_order B>
bool add_graph(const char* name)
{
    return add_check<typename Kernel::target>(name, [](std::uint64_t seed) {
        return check_graph<Kernel, Run>(suited_case<Kernel>(ragged_tile_cases<typename Kernel::tile>(A, B)[0]), seed);
    });
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula::test
