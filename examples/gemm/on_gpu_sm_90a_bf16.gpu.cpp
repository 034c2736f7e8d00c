// targets: sm_90a

#include "on_gpu.hpp"
#include "warp_specialized.hpp"

#include <tegula/host/launch_warp_specialized.hpp>

using namespace gemm_example;
using target = tegula::arch::sm_90a;

namespace {

template <class Tile>
struct warp_specialized_on_gpu
{
    static constexpr bool shares_k = false;
    using input = typename Tile::a_type;

    static run_result run(const problem& p, const run_options& options)
    {
        return run_on_gpu<input>(p, options, [](const problem& copy, const auto& time) {
            const auto args = make_arguments<input>(copy);
            return warp_specialized_kernels_of<Tile>::dispatch(
                args,
                [&](auto kernel) {
                    return time([&] { return tegula::launch_warp_specialized(tegula::gpu_device{}, kernel, args); });
                },
                [](const tegula::status& why) { return why; });
        });
    }
};

/// For what the warp-specialised kernels of the type cannot address, which is nothing that lies in vectors.
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

const bool added[] = {
    add_kernels(make_entries<bf16_inputs<target>, element_wise_on_gpu>(device::gpu, type_list<t128x128_tile>{})),
    add_kernels(make_warp_specialized_entries<bf16_inputs<target>, warp_specialized_on_gpu>(
        device::gpu, type_list<ws128x256_2x1_tile>{}))};

} // namespace
