#pragma once

/// Matrix products for sm_100a and sm_103a: tensor copies, mbarriers, pairs of blocks, tcgen05.mma into tensor memory,
/// persistent tiles; operands of any type, and those of MX and NVFP4 formats with the kernel that quantises for them.

#include <tegula/formats.hpp>
#include <tegula/gemm.hpp>
#include <tegula/kernel/gemm/tcgen05/description.hpp>
#include <tegula/kernel/gemm/tcgen05/dispatch.hpp>
#include <tegula/kernel/gemm/tcgen05/list.hpp>
#include <tegula/kernel/gemm/tcgen05/made_dispatch.hpp>
#include <tegula/kernel/gemm/tcgen05/scaled_dispatch.hpp>
#include <tegula/kernel/gemm/tcgen05/tiles.hpp>
#include <tegula/kernel/quantization/mx_quantize.hpp>
