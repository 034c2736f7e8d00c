#include "test/kernel/gemm/forms/split_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx942;

TEST_CASE("gfx942: stream-K, tf32, over pairs of sizes, strides and epilogues", "[gemm]")
{
    check_stream_k<gemm_tiles<target, tfloat32>::t32x128, k_contiguous, row_contiguous, float>(quarter::fourth);
}

TEST_CASE("gfx942: stream-K, bf16, the tiles of 4 and 8 waves with schedules of their own", "[gemm]")
{
    using tiles = gemm_tiles<target, bfloat16>;
    check_split_k_tile<stream_k_gemm, tiles::t256x128, k_contiguous, k_contiguous, float>({3, 7});
    check_split_k_tile<stream_k_gemm, tiles::t256x256, k_contiguous, k_contiguous, float>({3, 7});
}
