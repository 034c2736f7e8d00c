#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/host/gemm_memory.hpp>"

#include <tegula/host/gemm_memory.hpp>
