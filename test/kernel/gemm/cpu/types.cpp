// GEMM as the machine's own code: int8, both tiles, strides and edges, against the bounds that the emulated GPUs are held to.
// f32: cpu.cpp; the other types: test/grid/gemm_cpu_elements.cpp.

#include "test/kernel/gemm/cpu/cpu.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("CPU GEMM: int8 on AVX2 is exact", "[gemm][cpu]")
{
    check_type<arch::x86_avx2, std::int8_t, std::int32_t>(quarter::first);
}
