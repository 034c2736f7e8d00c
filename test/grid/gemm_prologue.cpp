#include "test/kernel/gemm/prologue/prologue.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;

TEST_CASE("gfx950: rows by index and made elements, f16", "[gemm]")
{
    check_prologue<gemm_tiles<arch::gfx950, half>::t64x64, row_contiguous>(quarter::first, quarter::third);
}

TEST_CASE("gfx1250: rows by index and made elements, bf16", "[gemm]")
{
    check_prologue<gemm_tiles<arch::gfx1250, bfloat16>::t64x64, k_contiguous>(quarter::second, quarter::fourth);
}

TEST_CASE("sm_120a: rows by index and made elements, f16", "[gemm]")
{
    check_prologue<gemm_tiles<arch::sm_120a, half>::t64x64, k_contiguous>(quarter::third, quarter::first);
}
