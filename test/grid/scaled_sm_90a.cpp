#include "test/kernel/gemm/forms/scaled.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::sm_90a;
using two_types = gemm_tile<target, pair_atom<target, float8_e4m3, float8_e5m2>, 32, 128, 128, 1, 4>;

TEST_CASE("sm_90a: block-scaled fp8, two steps a group", "[gemm]")
{
    check_block_scaled<block_scaled_tiles<target, float8_e4m3>::t128x64, k_contiguous, k_contiguous>(quarter::third);
}

TEST_CASE("sm_90a: block-scaled fp8 of two types, a step a group", "[gemm]")
{
    check_block_scaled<two_types, k_contiguous, row_contiguous>(quarter::fourth);
}

TEST_CASE("sm_90a: block-scaled fp8 of every size", "[.full]")
{
    check_block_scaled<block_scaled_tiles<target, float8_e4m3>::t128x64, k_contiguous, k_contiguous>(
        grid_cases(k_contiguous, k_contiguous));
    check_block_scaled<two_types, k_contiguous, row_contiguous>(grid_cases(k_contiguous, row_contiguous));
}
