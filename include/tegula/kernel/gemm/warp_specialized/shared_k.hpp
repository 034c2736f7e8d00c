#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/kernel/gemm/warp_specialized/split_k_reduction.hpp>"

#include <tegula/kernel/gemm/warp_specialized/deprecated.hpp>
#include <tegula/kernel/gemm/warp_specialized/split_k_reduction.hpp>
