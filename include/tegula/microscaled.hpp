#pragma once

/// Products of operands in the Microscaling formats, on targets whose instructions apply their scales, and the kernel that
/// quantises for them.

#include <tegula/formats.hpp>
#include <tegula/kernel/gemm/epilogue.hpp>
#include <tegula/kernel/gemm/microscaled/gemm.hpp>
#include <tegula/kernel/gemm/microscaled/warp_tile.hpp>
#include <tegula/kernel/gemm/microscaled/wave_tile.hpp>
#include <tegula/kernel/quantization/mx_quantize.hpp>
