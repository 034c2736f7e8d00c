#pragma once

// Products of operands with block scales on targets with tensor memory.

#include "emulated_block_scaled.hpp"

#include <tegula/gemm_sm100.hpp>
#include <tegula/host/launch_block_scaled.hpp>

namespace gemm_example {

inline constexpr tegula::operand_order along_k = tegula::operand_order::k_contiguous;

/// C goes from registers to memory, so that one kernel takes every stride of C.
template <class Target, class Format>
using tcgen05_scaled_kernel =
    tegula::tcgen05_gemm<typename tegula::tcgen05_scaled_tiles<Target, Format>::tc128x128, along_k, along_k, float,
                         tegula::epilogue::linear<>, tegula::output_store::direct>;

template <class Target, class Format>
run_result multiply_tcgen05_scaled(const problem& p, const run_options& options)
{
    using kernel = tcgen05_scaled_kernel<Target, Format>;
    return multiply_quantized<Target, Format, typename kernel::product_type>(
        p, options, [&](auto& device, const auto& args) {
            device.multiprocessors = tegula::chip::speed_of(Target::chip()).compute_units;
            return p.m == 0 || p.n == 0 || p.batch == 0 ? tegula::status()
                                                        : tegula::launch_warp_specialized(device, kernel{}, args);
        });
}

template <class Target, class Format>
bool add_tcgen05_scaled(const char* type)
{
    using kernel = tcgen05_scaled_kernel<Target, Format>;
    kernel_entry entry{Target::chip().name,
                       type,
                       device::emulator,
                       element::f32,
                       {},
                       &multiply_tcgen05_scaled<Target, Format>,
                       nullptr};
    entry.tile = tegula::describe<typename kernel::tile>("tc128x128");
    entry.tile.shared_bytes = kernel::shared_bytes;
    entry.tile.stages = kernel::stages;
    entry.quantize = &quantize<Format>;
    return add_kernels({entry});
}

} // namespace gemm_example
