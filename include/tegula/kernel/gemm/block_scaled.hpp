#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/kernel/gemm/forms/block_scaled.hpp>"

#include <tegula/kernel/gemm/forms/block_scaled.hpp>
