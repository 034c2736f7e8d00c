// GEMM by the tiles of AMX: the kernels' machine code, on the machine where it has them and else on amx_machine, and the
// same kernels on the strict emulator.

#include "test/kernel/gemm/cpu/amx.hpp"

TEST_CASE("CPU GEMM: bf16 by the tiles of AMX", "[gemm][cpu]")
{
    check_amx<bfloat16, x86::amx::dot_bf16, float>(quarter::first);
}

TEST_CASE("CPU GEMM: few rows by the tiles of AMX", "[gemm][cpu]")
{
    check_amx_few_rows<bfloat16, x86::amx::dot_bf16, float>();
}

TEST_CASE("CPU GEMM: a block of four tiles loads each operand's tile once", "[gemm][cpu]")
{
    if (x86::host_features().contains(x86::amx::dot_i8::needed) ||
        !x86::host_features().contains(x86::feature::avx512)) {
        WARN("not run: nothing is counted on a machine with AMX, and AVX-512 packs");
        return;
    }
    const amx_machine machine;
    amx_machine::counted() = {};
    using tile = cpu_gemm_tile<arch::x86_amx, std::int8_t, x86::amx::dot_i8, 32, 32, 64>;
    gemm_case what;
    what.m = what.n = 32;
    what.k = 256;
    gemm_data<std::int8_t, std::int32_t> data(what);
    using kernel =
        gemm_kernel<tile, any, any, std::int32_t, test_epilogue<std::int32_t>::type, output_access::elements>;
    run_blocks<kernel>(data.arguments());
    CHECK(data.verify().passed);
    const amx_machine::counts& n = amx_machine::counted();
    CHECK(n.configurations == 1);
    CHECK(n.releases == 1);
    CHECK(n.zeros == 4);
    CHECK(n.loads == 4 * 4);
    CHECK(n.products == 4 * 4);
    CHECK(n.stores == 4);
}
