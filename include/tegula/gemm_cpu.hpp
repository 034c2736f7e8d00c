#pragma once

/// GEMM on the CPU that the program runs on: cpu_gemm<arch::host>(device, arguments). x86-64 alone; no flags are asked
/// of users, since the kernels bring their own instruction sets (arch/x86/region.hpp).

#include <tegula/host/cpu_gemm.hpp>
#include <tegula/kernel/gemm/epilogue/make.hpp>
