#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/kernel/gemm/forms/split_k.hpp>"

#include <tegula/kernel/gemm/forms/split_k.hpp>
