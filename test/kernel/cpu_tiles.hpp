#pragma once

#include <tegula/kernel/gemm/cpu/prologue.hpp>

namespace tegula::test {

/// Tiles for operands that are found or computed, in float: of the CPU's own code, and a small one for the strict emulator.
using native_cpu_tile = prologue_tiles<arch::x86_avx2, float>::small;
using strict_cpu_tile = cpu_gemm_tile<arch::strict<arch::x86_avx2>, float, x86::avx2::fma_f32,
                                      2 * x86::avx2::fma_f32::rows, 2 * x86::avx2::fma_f32::tile_columns, 16>;

} // namespace tegula::test
