#pragma once

/// The forms of GEMM besides the plain one, on the CPU that the program runs on: grouped, split-K, quantised weights,
/// block-scaled and Microscaling operands. There are also products whose operands are found or computed, which
/// convolutions and mixtures of experts are made of. x86-64 alone. gemm_cpu.hpp compiles half a second faster
/// without these forms.

#include <tegula/gemm_cpu.hpp>
#include <tegula/host/cpu_forms.hpp>
