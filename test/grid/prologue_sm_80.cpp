#include "test/kernel/gemm/prologue/prologue.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;

TEST_CASE("sm_80: rows by index and made elements, bf16", "[gemm]")
{
    check_prologue<gemm_tiles<arch::sm_80, bfloat16>::t64x64, k_contiguous>(quarter::second, quarter::fourth);
}

TEST_CASE("sm_80: two weights with a function between", "[gemm]")
{
    check_gated_products<gemm_tiles<arch::sm_80, bfloat16>::t64x64, k_contiguous, k_contiguous>(quarter::second);
}
