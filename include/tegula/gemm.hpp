#pragma once

/// Matrix products: tiles, kernels for them, the choice of a kernel for given operands, checks, the forms of products,
/// and what happens to a product before it is stored.

#include <tegula/core/host_missing.hpp>
#include <tegula/kernel/gemm/can_implement.hpp>
#include <tegula/kernel/gemm/choose/choose_splits.hpp>
#include <tegula/kernel/gemm/choose/choose_tile.hpp>
#include <tegula/kernel/gemm/dispatch.hpp>
#include <tegula/kernel/gemm/epilogue.hpp>
#include <tegula/kernel/gemm/forms/block_scaled.hpp>
#include <tegula/kernel/gemm/forms/grouped.hpp>
#include <tegula/kernel/gemm/forms/prologue.hpp>
#include <tegula/kernel/gemm/forms/quantized_weights.hpp>
#include <tegula/kernel/gemm/forms/split_k.hpp>
#include <tegula/kernel/gemm/forms/stream_k.hpp>
#include <tegula/kernel/gemm/gemm_kernel.hpp>
#include <tegula/kernel/gemm/normalize.hpp>
#include <tegula/kernel/gemm/prologue/tiles.hpp>
#include <tegula/kernel/gemm/tiles.hpp>
