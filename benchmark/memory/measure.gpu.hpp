#pragma once

// The measurement itself, for CUDA and for HIP from the same sources.

#include "memory.hpp"

#include "benchmark/gemm/statistics.hpp"

#include <tegula/host/gpu_launch.hpp>
#include <tegula/host/launch_elementwise.hpp>
#include <tegula/host/launch_movement.hpp>
#include <tegula/host/launch_reduction.hpp>
#include <tegula/host/launch_rows.hpp>
#include <tegula/normalization.hpp>
#include <tegula/reduction.hpp>

#include <functional>

namespace memory_benchmark {

struct add_numbers
{
    TEGULA_INLINE float operator()(float x, float y) const { return x + y; }
};

// A program may contain both.
inline namespace TEGULA_RUNTIME_NAMESPACE {

template <class Target>
class measurement
{
public:
    explicit measurement(const options& o) : options_(o) {}

    outcome run()
    {
        outcome all;
        all.status = open(all);
        for (const long mebibytes : options_.mebibytes)
            if (all.status)
                all.status = measure_size(mebibytes << 20, all.results);
        return all;
    }

private:
    using T = tegula::bfloat16;
    template <class U>
    using matrix = tegula::tensor_argument<U>;
    /// Rows of up to 16384 elements: a block a row, as row_tiles_for has it for them.
    using tiles = tegula::row_tile_list<tegula::tile_at<tegula::row_tiles_for<Target, 8>, 5>>;
    static constexpr long columns = 8192;

    struct kernel
    {
        const char* name;
        double bytes;
        std::function<tegula::status()> launch;
    };

    tegula::status open(outcome& all) const
    {
        if (tegula::status s = tegula::check_runtime(TEGULA_RUNTIME(SetDevice)(options_.gpu), "choosing the GPU"); !s)
            return s;
        int number = 0;
        tegula::device_properties properties;
        if (tegula::status s = tegula::find_current_gpu(number, properties); !s)
            return s;
        all.gpu = properties.name;
        all.arch = tegula::arch_name(properties);
        all.runtime = tegula::runtime_name;
        return tegula::check_architecture(Target::chip().name, tegula::device_architecture(properties).c_str());
    }

    tegula::status measure_size(long bytes, std::vector<result>& results)
    {
        const long rows = bytes / columns / static_cast<long>(sizeof(T));
        tegula::device_memory in, more, out;
        for (tegula::device_memory* m : {&in, &more, &out}) {
            if (tegula::status s = m->allocate(static_cast<std::size_t>(bytes)); !s)
                return s;
            if (tegula::status s = tegula::check_runtime(
                    TEGULA_RUNTIME(Memset)(m->data(), 0, static_cast<std::size_t>(bytes)), "clearing memory");
                !s)
                return s;
        }
        for (const kernel& k : kernels(rows, in.data(), more.data(), out.data())) {
            std::vector<double> times, copies;
            for (int round = -3; round < options_.rounds; ++round) { // three to warm up
                double ours = 0, copy = 0;
                tegula::status s = time(ours, k.launch);
                if (s)
                    s = time(copy, [&] {
                        // A copy of half the bytes reads and writes as many as the kernel.
                        const auto half =
                            std::min(static_cast<std::size_t>(k.bytes / 2), static_cast<std::size_t>(bytes));
                        return tegula::check_runtime(TEGULA_RUNTIME(MemcpyAsync)(out.data(), in.data(), half,
                                                                                 TEGULA_RUNTIME(MemcpyDeviceToDevice),
                                                                                 nullptr),
                                                     "copying");
                    });
                if (!s)
                    return s;
                if (round >= 0)
                    times.push_back(k.bytes / ours),
                        copies.push_back(std::min(k.bytes, 2.0 * static_cast<double>(bytes)) / copy);
            }
            results.push_back({k.name, rows, columns, k.bytes, gemm_benchmark::median(times),
                               gemm_benchmark::median(copies), gemm_benchmark::median_ratio(times, copies)});
        }
        return {};
    }

    template <class F>
    tegula::status time(double& seconds, const F& launch)
    {
        constexpr int launches = 10;
        timer_.start();
        for (int i = 0; i < launches; ++i)
            if (tegula::status s = launch(); !s)
                return s;
        const tegula::status s = timer_.stop(seconds);
        seconds /= launches;
        return s;
    }

    std::vector<kernel> kernels(long rows, void* in, void* more, void* out)
    {
        using namespace tegula;
        const auto x = make_tensor_argument(static_cast<const T*>(in), {rows, columns});
        const auto r = make_tensor_argument(static_cast<const T*>(more), {rows, columns});
        const auto y = make_tensor_argument(static_cast<T*>(out), {rows, columns});
        const double one = static_cast<double>(rows) * columns * sizeof(T);
        norm_arguments<T> norm;
        norm.x = x, norm.y = y;
        return {
            {"softmax", 2 * one, [=, this] { return launch_softmax<tiles>(device_, softmax_arguments<T>{x, y}); }},
            {"layernorm", 2 * one, [=, this] { return launch_norm<tiles, norm_kind::layer>(device_, norm); }},
            {"rmsnorm", 2 * one, [=, this] { return launch_norm<tiles, norm_kind::rms>(device_, norm); }},
            {"transpose", 2 * one,
             [=, this] {
                 permute_arguments<std::uint16_t> p{
                     make_tensor_argument(static_cast<const std::uint16_t*>(in), {rows, columns}),
                     make_tensor_argument(static_cast<std::uint16_t*>(out), {columns, rows}),
                     {1, 0}};
                 return launch_permute<Target>(device_, p);
             }},
            {"sum_of_rows", one + static_cast<double>(rows) * sizeof(T),
             [=, this] {
                 return launch_reduction<Target>(device_,
                                                 reduction_arguments<fold_reducer<T, plus>, T>{
                                                     {}, x, make_tensor_argument(static_cast<T*>(out), {rows}), 2});
             }},
            {"add", 3 * one,
             [=, this] {
                 return launch_elementwise<Target>(device_, make_elementwise_arguments(add_numbers{}, y, x, r));
             }},
        };
    }

    options options_;
    tegula::gpu_device device_;
    tegula::gpu_timer timer_;
};

template <class Target>
bool add_target()
{
    return add_back_end({Target::chip().name, [](const options& o) { return measurement<Target>(o).run(); }});
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace memory_benchmark
