// not in the demo
#include "emulated_block_scaled.hpp"

#include <tegula/gemm_sm100.hpp>
#include <tegula/host/launch_block_scaled.hpp>

namespace gemm_example {
namespace {

using target = tegula::arch::sm_100a;
constexpr tegula::operand_order along_k = tegula::operand_order::k_contiguous;

/// C goes from registers to memory, so that one kernel takes every stride of C.
template <class Format>
using kernel_of = tegula::tcgen05_gemm<typename tegula::tcgen05_scaled_tiles<target, Format>::tc128x128, along_k,
                                       along_k, float, tegula::epilogue::linear<>, tegula::output_store::direct>;

template <class Format>
run_result multiply(const problem& p, const run_options& options)
{
    using kernel = kernel_of<Format>;
    return multiply_quantized<target, Format, typename kernel::product_type>(
        p, options, [&](auto& device, const auto& args) {
            device.multiprocessors = tegula::chip::speed_of(target::chip()).compute_units;
            return p.m == 0 || p.n == 0 || p.batch == 0 ? tegula::status()
                                                        : tegula::launch_warp_specialized(device, kernel{}, args);
        });
}

template <class Format>
bool add(const char* type)
{
    using kernel = kernel_of<Format>;
    kernel_entry entry{target::chip().name, type, device::emulator, element::f32, {}, &multiply<Format>, nullptr};
    entry.tile = tegula::describe<typename kernel::tile>("tc128x128");
    entry.tile.shared_bytes = kernel::shared_bytes;
    entry.tile.stages = kernel::stages;
    entry.quantize = &quantize<Format>;
    return add_kernels({entry});
}

const bool added[] = {add<tegula::mx_format<tegula::float8_e4m3>>("mxfp8_e4m3"),
                      add<tegula::mx_format<tegula::float6_e2m3>>("mxfp6_e2m3"),
                      add<tegula::mx_format<tegula::float4_e2m1>>("mxfp4"), add<tegula::nvfp4_format>("nvfp4")};

} // namespace
} // namespace gemm_example
