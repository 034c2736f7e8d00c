// GEMM as the machine's own code: f32 and f16 by AVX-512, both tiles, strides and edges,
// against the bounds that the emulated GPUs are held to.

#include "test/kernel/gemm/cpu/cpu.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("CPU GEMM: f32 on AVX-512", "[gemm][cpu]") { check_type<arch::x86_avx512, float, float>(quarter::all); }

TEST_CASE("CPU GEMM: f16 on AVX-512", "[gemm][cpu]") { check_type<arch::x86_avx512, half, half>(quarter::fourth); }
