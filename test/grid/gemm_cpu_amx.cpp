// GEMM by the tiles of AMX: the kernels' machine code, on the machine where it has them and else on amx_machine, and the
// same kernels on the strict emulator.

#include "test/kernel/gemm/cpu/amx.hpp"

TEST_CASE("CPU GEMM: f16 by the tiles of AMX", "[gemm][cpu]")
{
    check_amx<half, x86::amx::dot_f16, half>(quarter::second);
}
TEST_CASE("CPU GEMM: int8 by the tiles of AMX is exact", "[gemm][cpu]")
{
    check_amx<std::int8_t, x86::amx::dot_i8, std::int32_t>(quarter::third);
}
TEST_CASE("CPU GEMM: few rows of int8 by the tiles of AMX are exact", "[gemm][cpu]")
{
    check_amx_few_rows<std::int8_t, x86::amx::dot_i8, std::int32_t>();
}
