#pragma once

/// Matrix products: tiles, kernels for them, the choice of a kernel for given operands, checks, the forms of products,
/// and operations on a product before it is stored.
///
/// Every target has the kernels of gemm_kernel.hpp. sm_90a also has warp-specialised ones (wgmma); sm_100a and sm_103a
/// have kernels with tcgen05. Operands of MX formats and NVFP4 are multiplied if instructions of the target apply their
/// scales. The kernel that quantises for them is here, too.

#include <tegula/core/host_missing.hpp>
#include <tegula/formats.hpp>
#include <tegula/kernel/gemm/can_implement.hpp>
#include <tegula/kernel/gemm/choose/choose_splits.hpp>
#include <tegula/kernel/gemm/choose/choose_tile.hpp>
#include <tegula/kernel/gemm/choose/describe_weights.hpp>
#include <tegula/kernel/gemm/choose/tile_list.hpp>
#include <tegula/kernel/gemm/dispatch.hpp>
#include <tegula/kernel/gemm/epilogue/check.hpp>
#include <tegula/kernel/gemm/forms/block_scaled.hpp>
#include <tegula/kernel/gemm/forms/grouped.hpp>
#include <tegula/kernel/gemm/forms/prologue.hpp>
#include <tegula/kernel/gemm/forms/quantized_weights.hpp>
#include <tegula/kernel/gemm/forms/quantized_weights_family.hpp>
#include <tegula/kernel/gemm/forms/split_k.hpp>
#include <tegula/kernel/gemm/forms/stream_k.hpp>
#include <tegula/kernel/gemm/forms/weight_tiles.hpp>
#include <tegula/kernel/gemm/gemm_kernel.hpp>
#include <tegula/kernel/gemm/microscaled/gemm.hpp>
#include <tegula/kernel/gemm/microscaled/warp_tile.hpp>
#include <tegula/kernel/gemm/microscaled/wave_tile.hpp>
#include <tegula/kernel/gemm/normalize.hpp>
#include <tegula/kernel/gemm/prologue/tiles.hpp>
#include <tegula/kernel/gemm/tcgen05/description.hpp>
#include <tegula/kernel/gemm/tcgen05/dispatch.hpp>
#include <tegula/kernel/gemm/tcgen05/scaled_dispatch.hpp>
#include <tegula/kernel/gemm/tcgen05/tiles.hpp>
#include <tegula/kernel/gemm/tiles.hpp>
#include <tegula/kernel/gemm/warp_specialized/description.hpp>
#include <tegula/kernel/gemm/warp_specialized/dispatch.hpp>
#include <tegula/kernel/gemm/warp_specialized/list.hpp>
#include <tegula/kernel/gemm/warp_specialized/made_dispatch.hpp>
#include <tegula/kernel/gemm/warp_specialized/scaled_tile.hpp>
#include <tegula/kernel/gemm/warp_specialized/split_k_reduction.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>
#include <tegula/kernel/quantization/mx_quantize.hpp>
