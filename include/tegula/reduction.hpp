#pragma once

/// Kernels that reduce, move and combine tensors of any shape: elementwise functions with broadcasting, reductions,
/// scans, top-k, permutations of dimensions, gathers of rows, rotary embeddings and pooling.

#include <tegula/kernel/elementwise/can_implement.hpp>
#include <tegula/kernel/elementwise/rotary.hpp>
#include <tegula/kernel/index_space.hpp>
#include <tegula/kernel/movement/gather_kernel.hpp>
#include <tegula/kernel/movement/permute.hpp>
#include <tegula/kernel/pooling/pooling_kernel.hpp>
#include <tegula/kernel/reduction/can_implement.hpp>
#include <tegula/kernel/reduction/scan.hpp>
#include <tegula/kernel/reduction/topk_kernel.hpp>
#include <tegula/kernel/tensor_argument.hpp>
