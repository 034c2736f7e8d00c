#include "test/kernel/gemm/forms/grouped_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx942;
using tile = gemm_tiles<target, bfloat16>::t64x64;
using element_wise = gemm_kernels<tile, float, test_epilogue<float>::type>::element_wise;

TEST_CASE("gfx942: grouped GEMM, tf32, over pairs of sizes, strides and epilogues in a few launches", "[gemm]")
{
    check_grouped<gemm_tiles<target, tfloat32>::t32x128, row_contiguous, k_contiguous, float>(quarter::fourth);
}

TEST_CASE("gfx942: grouped GEMM, bf16, the tiles of 4 and 8 waves with schedules of their own", "[gemm]")
{
    using tiles = gemm_tiles<target, bfloat16>;
    check_grouped_tile<tiles::t256x128, k_contiguous, k_contiguous, float>();
    check_grouped_tile<tiles::t256x256, k_contiguous, k_contiguous, float>();
}
