#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/kernel/gemm/forms/quantized_weights.hpp>"

#include <tegula/kernel/gemm/deprecated.hpp>
#include <tegula/kernel/gemm/forms/quantized_weights.hpp>
