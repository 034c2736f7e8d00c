#pragma once

// Products with block scales by waves or warps whose scales lie in atoms: those of sm_120a and gfx1250.

#include "emulated_block_scaled.hpp"

#include <tegula/microscaled.hpp>

namespace gemm_example {

template <class Format, class Tile>
run_result multiply_by_tile(const problem& p, const run_options& options)
{
    using kernel = tegula::microscaled_gemm<Tile, float, tegula::epilogue::linear<>>;
    return multiply_quantized<typename Tile::target, Format, typename kernel::product_type>(
        p, options, [](auto& device, const auto& args) { return tegula::launch_gemm(device, kernel{}, args); });
}

/// Adds the kernel of a tile of that name for operands of the format that the program calls `type`.
template <class Format, class Tile>
bool add_scaled_tile(const char* type, const char* name)
{
    kernel_entry entry{Tile::target::chip().name,       type,   device::emulator, element::f32, {},
                       &multiply_by_tile<Format, Tile>, nullptr};
    entry.tile = describe_scaled<Tile>(name, Tile::step_k);
    entry.quantize = &quantize<Format>;
    return add_kernels({entry});
}

} // namespace gemm_example
