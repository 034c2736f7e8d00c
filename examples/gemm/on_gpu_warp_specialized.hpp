#pragma once

#include "on_gpu.hpp"
#include "warp_specialized.hpp"

#include <tegula/host/launch_warp_specialized.hpp>

namespace gemm_example {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

template <class Tile>
struct warp_specialized_on_gpu
{
    static constexpr bool shares_k = false;
    using input = typename Tile::a_type;

    static run_result run(const problem& p, const run_options& options)
    {
        return run_on_gpu<input>(p, options, [](const problem& copy, const auto& time) {
            const auto args = make_arguments<input>(copy);
            return warp_specialized_kernels_of<Tile, shares_k>::dispatch(
                args,
                [&](auto kernel) {
                    return time([&] { return tegula::launch_warp_specialized(tegula::gpu_device{}, kernel, args); });
                },
                [](const tegula::status& why) { return why; });
        });
    }
};

/// For what the warp-specialised kernels of the type cannot address or, of C, not write.
template <class Tile>
struct element_wise_on_gpu
{
    static constexpr bool shares_k = false;
    using input = typename Tile::a_type;
    using kernel = typename on_gpu<Tile>::kernels::element_wise;

    static run_result run(const problem& p, const run_options& options)
    {
        return run_on_gpu<input>(p, options, [](const problem& copy, const auto& time) {
            const auto args = make_arguments<input>(copy);
            return time([&] { return tegula::launch_gemm(tegula::gpu_device{}, kernel{}, args); });
        });
    }
};

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace gemm_example
