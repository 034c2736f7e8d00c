#pragma once

/// Further forms of GEMM on the CPU that the program runs on: grouped, split-K, quantised weights, block-scaled and
/// Microscaling operands. There are also products whose operands are gathered or computed; convolutions and mixtures
/// of experts are made of them. x86-64 alone. gemm_cpu.hpp has none of these forms and compiles half a second
/// faster.

#include <tegula/gemm_cpu.hpp>
#include <tegula/host/cpu_forms.hpp>
