#include "test/kernel/gemm/harness.hpp"

#include <bit>

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::sm_89;

TEST_CASE("sm_89: 8-bit integers are exact", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, std::int8_t>::t32x128, std::int32_t, row_contiguous, k_contiguous>(
        quarter::third);
}

TEST_CASE("sm_89: tf32", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, tfloat32>::t128x128, float, k_contiguous, row_contiguous>(quarter::fourth);
}

TEST_CASE("sm_89: bf16, large tile", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, bfloat16>::t128x128, float, k_contiguous, k_contiguous>(quarter::first);
}

TEST_CASE("sm_89: f16, flat tile, f16 result", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, half>::t32x128, half, row_contiguous, row_contiguous>(quarter::second);
}

TEST_CASE("sm_89: fp8 GEMM, every kernel of a tile, over pairs of sizes, orders and epilogues", "[gemm]")
{
    check_all_kernels<gemm_tiles<target, float8_e4m3>::t64x64, float>();
}

TEST_CASE("sm_89: fp8 GEMM, every size and order", "[.full]")
{
    check_all_sizes<gemm_tiles<target, float8_e4m3>::t64x64, float>();
}

TEST_CASE("sm_89: fp8, sums of 128 of k are added to accumulators that lose nothing", "[gemm]")
{
    using atom = truncating<default_atom<target, float8_e4m3>>;
    using tile = gemm_tile<target, atom, 32, 64, 64, 1, 2, 3>;
    CHECK(
        largest_loss<gemm_kernel<tile, k_contiguous, k_contiguous, float, epilogue::none, output_access::vectors>>() ==
        0);
    CHECK(largest_loss<gemm_kernels<tile, float, epilogue::none>::element_wise>() == 0);
    // Named, the schedule that does not promote is to be had.
    using truncated = gemm_tile<target, atom, 32, 64, 64, 1, 2, 3, 8, multistage>;
    CHECK(largest_loss<
              gemm_kernel<truncated, k_contiguous, k_contiguous, float, epilogue::none, output_access::vectors>>() > 0);
}

TEST_CASE("sm_89: fp8 e5m2, large tile, bf16 result", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, float8_e5m2>::t128x128, bfloat16, k_contiguous, k_contiguous>(quarter::second);
}

TEST_CASE("sm_89: 8-bit integers, wide tile", "[gemm]")
{
    using tile = gemm_tiles<target, std::int8_t>::t128x256;
    check_cases<gemm_kernels<tile, std::int32_t, epilogue::none>, std::int8_t, std::int32_t>(
        aligned_gemm_cases(few_gemm_sizes(), row_contiguous, row_contiguous));
}
