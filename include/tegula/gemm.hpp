#pragma once

/// Matrix products: tiles, kernels for them, the choice of a kernel for given operands, checks, and what happens to a
/// product before it is stored.

#include <tegula/kernel/gemm/can_implement.hpp>
#include <tegula/kernel/gemm/dispatch.hpp>
#include <tegula/kernel/gemm/epilogue.hpp>
#include <tegula/kernel/gemm/gemm_kernel.hpp>
#include <tegula/kernel/gemm/normalize.hpp>
#include <tegula/kernel/gemm/tiles.hpp>
