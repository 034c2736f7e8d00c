// not in the demo
#include "emulated_block_scaled.hpp"

#include <tegula/microscaled.hpp>

namespace gemm_example {
namespace {

using target = tegula::arch::sm_120a;

template <class Format>
using kernel_of = tegula::microscaled_gemm<typename tegula::scaled_warp_tiles<target, Format>::t64x64, float,
                                           tegula::epilogue::linear<>>;

template <class Format>
run_result multiply(const problem& p, const run_options& options)
{
    using kernel = kernel_of<Format>;
    return multiply_quantized<target, Format, typename kernel::arguments>(
        p, options, [](auto& device, const auto& args) { return tegula::launch_gemm(device, kernel{}, args); });
}

template <class Format>
bool add(const char* type)
{
    using tile = typename kernel_of<Format>::tile;
    kernel_entry entry{target::chip().name, type, device::emulator, element::f32, {}, &multiply<Format>, nullptr};
    entry.tile = tegula::describe<tile>("t64x64");
    entry.tile.block_k *= tile::atom::packed ? 2 : 1; // elements
    entry.quantize = &quantize<Format>;
    return add_kernels({entry});
}

const bool added[] = {add<tegula::mx_format<tegula::float8_e4m3>>("mxfp8_e4m3"),
                      add<tegula::mx_format<tegula::float4_e2m1>>("mxfp4"), add<tegula::nvfp4_format>("nvfp4")};

} // namespace
} // namespace gemm_example
