#pragma once

/// Kernels of the backward pass on CPUs, for backward.cpp and test/grid/attention_cpu_backward_forms.cpp.

#include <tegula/host/cpu_attention_backward.hpp>

#include "test/kernel/attention/backward/backward.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

/// Small tiles on the strict emulator.
template <class Variant, class Score = unchanged_score>
using strict_kernels = attention_backward_kernels<
    cpu_gradient_tile<arch::strict<arch::x86_avx2>, half, x86::avx2::fma_f32, 12, 32, 64, 64>, Variant, half, Score>;

/// The machine's own kernels.
template <class Variant, index_t Columns = 64, class T = half, class Score = unchanged_score>
struct native_kernels : attention_backward_for<arch::x86_avx2, T, Columns, Columns, Variant, T, Score>
{
    using native_device = cpu_device;
};

/// Those of more than 256 columns.
struct wide_kernels
    : attention_backward_kernels<
          cpu_gradient_tile<arch::x86_avx2, half, tegula::detail::cpu_attention_instruction<arch::x86_avx2>, 84, 64,
                            576, 512>,
          attention_variant<attention_mask::band>, half, unchanged_score>
{
    using native_device = cpu_device;
};

using plain = attention_variant<>;
using band = attention_variant<attention_mask::band>;

} // namespace
