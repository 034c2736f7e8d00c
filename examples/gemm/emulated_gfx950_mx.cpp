// not in the demo
#include "emulated_block_scaled.hpp"

namespace gemm_example {
namespace {

using target = tegula::arch::gfx950;

template <class T, class Tile>
run_result multiply(const problem& p, const run_options& options)
{
    using kernel = tegula::microscaled_gemm<Tile, float, tegula::epilogue::linear<>>;
    return multiply_quantized<target, tegula::mx_format<T>, typename kernel::arguments>(
        p, options, [](auto& device, const auto& args) { return tegula::launch_gemm(device, kernel{}, args); });
}

template <class T>
bool add(const char* type)
{
    using tile = typename tegula::microscaled_tiles<target, T>::t128x128;
    kernel_entry entry{target::chip().name, type, device::emulator, element::f32, {}, &multiply<T, tile>, nullptr};
    entry.tile = describe_scaled<tile>("t128x128", tile::block_k);
    entry.quantize = &quantize<tegula::mx_format<T>>;
    return add_kernels({entry});
}

const bool added[] = {add<tegula::float8_e4m3>("mxfp8_e4m3"), add<tegula::float6_e2m3>("mxfp6_e2m3"),
                      add<tegula::float4_e2m1>("mxfp4")};

} // namespace
} // namespace gemm_example
