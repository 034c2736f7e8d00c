#pragma once

/// Kernels that move, reduce and combine tensors of any shape, and the tensors they are given.

#include <tegula/kernel/index_space.hpp>
#include <tegula/kernel/tensor_argument.hpp>
