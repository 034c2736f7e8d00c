#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/kernel/gemm/forms/reload_arguments.hpp>"

#include <tegula/kernel/gemm/forms/reload_arguments.hpp>
