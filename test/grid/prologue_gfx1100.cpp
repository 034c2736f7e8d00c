#include "test/kernel/gemm/prologue/prologue.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;

TEST_CASE("gfx1100: rows by index and made elements, bf16", "[gemm]")
{
    check_prologue<gemm_tiles<arch::gfx1100, bfloat16>::t32x128, row_contiguous>(quarter::third, quarter::first);
}

TEST_CASE("gfx1100: two weights with a function between", "[gemm]")
{
    check_gated_products<gemm_tiles<arch::gfx1100, half>::t64x64, row_contiguous, k_contiguous>(quarter::third);
}
