#pragma once

/// GEMM on the CPU that the program runs on: cpu_gemm<arch::host>(device, arguments). x86-64 alone. It needs no
/// compiler flags: the kernels enable the instruction sets that they use (arch/x86/region.hpp).

#include <tegula/host/cpu_gemm.hpp>
#include <tegula/kernel/gemm/epilogue/make.hpp>
