#pragma once

// The GPU's kernels, for CUDA and for HIP from the same sources.

#include "tiles.hpp"

#include <tegula/host/gpu_launch.hpp>
#include <tegula/host/launch.hpp>

namespace gemm_example {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

/// Copies of a problem's matrices on the GPU.
class problem_on_gpu
{
public:
    template <class T>
    tegula::status upload(const problem& p)
    {
        constexpr auto size = static_cast<long_index_t>(sizeof(T));
        on_gpu_ = p;
        c_bytes_ = bytes(p.c, p.m, p.n, p.batch, 4);
        tegula::status s;
        if (s = a_.copy_from(p.a.data, bytes(p.a, p.m, p.k, p.batch, size)); !s)
            return s;
        if (s = b_.copy_from(p.b.data, bytes(p.b, p.k, p.n, p.batch, size)); !s)
            return s;
        if (s = source_.copy_from(p.source.data, p.beta == 0 ? 0 : bytes(p.source, p.m, p.n, p.batch, 4)); !s)
            return s;
        if (s = bias_.copy_from(p.bias, p.bias == nullptr ? 0 : static_cast<std::size_t>(p.n) * sizeof(float)); !s)
            return s;
        if (s = c_.allocate(c_bytes_); !s)
            return s;
        on_gpu_.a.data = a_.data();
        on_gpu_.b.data = b_.data();
        on_gpu_.c.data = c_.data();
        on_gpu_.source.data = static_cast<const float*>(source_.data());
        on_gpu_.bias = static_cast<const float*>(bias_.data());
        return {};
    }
    tegula::status download(const problem& p) const { return c_.copy_to(p.c.data, c_bytes_); }
    const problem& operator*() const { return on_gpu_; }

private:
    template <class T>
    static std::size_t bytes(const tegula::matrix_argument<T>& x, long_index_t rows, long_index_t columns,
                             long_index_t batch, long_index_t size)
    {
        return static_cast<std::size_t>(tegula::gemm_checks::range_of(x, rows, columns, batch).count * size);
    }

    problem on_gpu_;
    std::size_t c_bytes_ = 0;
    tegula::device_memory a_, b_, c_, source_, bias_;
};

/// Copies the problem to the GPU, multiplies by launch(product on the GPU, time), which gives each launch to time(),
/// and copies the result back.
template <class Input, class Launch>
run_result run_on_gpu(const problem& p, const run_options& options, const Launch& launch)
{
    run_result result;
    problem_on_gpu copies;
    tegula::status& s = result.status;
    if (s = tegula::can_implement(make_arguments<Input>(p)); !s)
        return result;
    if (s = tegula::check_runtime(TEGULA_RUNTIME(SetDevice)(options.gpu), "choosing the GPU"); !s)
        return result;
    if (s = copies.upload<Input>(p); !s)
        return result;
    // The mean of a few launches after a first one.
    const auto time = [&](const auto& start) -> tegula::status {
        constexpr int launches = 5;
        if (tegula::status failed = start(); !failed)
            return failed;
        tegula::gpu_timer timer;
        timer.start();
        for (int i = 0; i < launches; ++i)
            if (tegula::status failed = start(); !failed)
                return failed;
        const tegula::status stopped = timer.stop(result.seconds);
        result.seconds /= launches;
        return stopped;
    };
    s = launch(*copies, time);
    if (s)
        s = copies.download(p);
    return result;
}

template <class Tile>
struct on_gpu
{
    static constexpr bool shares_k = false;
    using input = typename Tile::a_type;
    using kernels = tegula::gemm_kernels<Tile, tegula::accumulator_of<input>, epilogue_of<input>>;

    static run_result run(const problem& p, const run_options& options)
    {
        return run_on_gpu<input>(p, options, [](const problem& copy, const auto& time) {
            const auto args = make_arguments<input>(copy);
            return kernels::dispatch(args, [&](auto kernel) {
                return time([&] { return tegula::launch(tegula::gpu_device{}, kernel, args); });
            });
        });
    }
};

/// Adds tiles of one --type of a target; Run<Tile>::run launches a tile's kernels.
template <template <class> class Run, class Inputs, class... TileNames>
bool add_on_gpu()
{
    return add_kernels(make_entries<Inputs, Run>(device::gpu, type_list<TileNames...>{}));
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace gemm_example
