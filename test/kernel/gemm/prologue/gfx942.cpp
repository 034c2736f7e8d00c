#include "test/kernel/gemm/prologue/prologue.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;

TEST_CASE("gfx942: rows by index and made elements, f16", "[gemm]")
{
    check_prologue<gemm_tiles<arch::gfx942, half>::t64x64, row_contiguous>(quarter::first, quarter::third);
}

TEST_CASE("gfx942: two weights with a function between", "[gemm]")
{
    check_gated_products<gemm_tiles<arch::gfx942, half>::t64x64, k_contiguous, row_contiguous>(quarter::first);
}
