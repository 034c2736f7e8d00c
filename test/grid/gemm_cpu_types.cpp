#include "test/kernel/gemm/cpu/cpu.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("CPU GEMM: bf16 on AVX-512", "[gemm][cpu]") { check_type<arch::x86_avx512, bfloat16, float>(quarter::third); }

TEST_CASE("CPU GEMM: int8 on AVX-512 is exact", "[gemm][cpu]")
{
    check_type<arch::x86_avx512, std::int8_t, std::int32_t>(quarter::second);
}

TEST_CASE("CPU GEMM: bf16 by dot products", "[gemm][cpu]")
{
    check_edges<cpu_gemm_tiles<arch::x86_avx512, bfloat16, x86::avx512_dot::dot_bf16>::t84x256, bfloat16, float>();
}

TEST_CASE("CPU GEMM: int8 without and with a dot product of 256 bits", "[gemm][cpu]")
{
    check_edges<cpu_gemm_tiles<arch::x86_avx2, std::int8_t, x86::avx2::madd_i16>::t84x256, std::int8_t, std::int32_t>();
}
