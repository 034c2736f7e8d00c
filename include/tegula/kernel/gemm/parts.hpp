#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/kernel/gemm/forms/partials.hpp>"

#include <tegula/kernel/gemm/deprecated.hpp>
#include <tegula/kernel/gemm/forms/partials.hpp>
