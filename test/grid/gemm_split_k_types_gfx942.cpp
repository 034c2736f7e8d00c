#include "test/kernel/gemm/forms/split_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx942;

TEST_CASE("gfx942: split-K, 8-bit integers, over pairs of sizes, strides and epilogues", "[gemm]")
{
    check_split_k<gemm_tiles<target, std::int8_t>::t32x128, k_contiguous, k_contiguous, std::int32_t>(quarter::fourth);
}

TEST_CASE("gfx942: split-K, tf32, over pairs of sizes, strides and epilogues", "[gemm]")
{
    check_split_k<gemm_tiles<target, tfloat32>::t64x64, k_contiguous, k_contiguous, float>(quarter::first);
}

TEST_CASE("gfx942: split-K, bf16, the tiles of 4 and 8 waves with schedules of their own", "[gemm]")
{
    using tiles = gemm_tiles<target, bfloat16>;
    check_split_k_tile<split_k_gemm, tiles::t256x128, k_contiguous, k_contiguous, float>({2});
    check_split_k_tile<split_k_gemm, tiles::t256x256, k_contiguous, k_contiguous, float>({2});
}
