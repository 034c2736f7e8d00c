#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/kernel/gemm/forms/grouped.hpp>"

#include <tegula/kernel/gemm/forms/grouped.hpp>
