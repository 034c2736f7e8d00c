// GEMM on gfx1250, whose operands along k come by asynchronous copies that are waited for by their number, or by the tensor
// data mover.

#include "test/kernel/gemm_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx1250;

TEST_CASE("gfx1250: bf16 GEMM, both ways of loading, over a quarter of the pairs of sizes, orders and epilogues", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, bfloat16>::t128x128, float, k_contiguous, row_contiguous>(quarter::first);
}

TEST_CASE("gfx1250: fp8 with 128 of k an instruction, both operands copied", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, float8_e4m3>::t64x64, float, k_contiguous, k_contiguous>(quarter::second);
}

TEST_CASE("gfx1250: 8-bit integers are exact", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, std::int8_t>::t32x128, std::int32_t, k_contiguous, k_contiguous>(
        quarter::third);
}

// Rows of any length and ragged edges: the mover fills in zeros.
TEST_CASE("gfx1250: bf16 GEMM by the tensor data mover", "[gemm]")
{
    check_two_kernels<gemm_tile<target, default_atom<target, bfloat16>, 128, 64, 64, 4, 2, 3, 8, tensor_multistage>, float,
                      k_contiguous, k_contiguous>(quarter::fourth);
}
