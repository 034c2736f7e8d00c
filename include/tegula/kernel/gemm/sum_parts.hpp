#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/kernel/gemm/forms/reduce_partials.hpp>"

#include <tegula/kernel/gemm/deprecated.hpp>
#include <tegula/kernel/gemm/forms/reduce_partials.hpp>
