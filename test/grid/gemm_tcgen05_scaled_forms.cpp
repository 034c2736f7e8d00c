// Block-scaled products on sm_100a: MX formats and NVFP4, one block and a pair, scales past the edges, no k. gemm_tcgen05_scaled.cpp
// has other tiles and pairs of formats.

#include "test/kernel/gemm/tcgen05/scaled.hpp"

namespace tegula::test {

TEST_CASE("sm_100a: products of MX operands", "[gemm][tcgen05][mx]")
{
    check_scaled<mxfp8, mxfp8, 128, 128, 1>(130, 152, 700);
    check_scaled<mxfp8, mxfp8, 128, 128, 1>(40, 36, 300, 2, true);
    check_scaled<mxfp8, mxfp8, 128, 128, 1>(3, 4, 0, 1, true);
    check_scaled<mxfp8, mxfp8, 128, 128, 1>(3, 4, 70, 1, true, 0);
    check_scaled<mxfp4, mxfp6, 128, 128, 1>(60, 140, 300);
}

TEST_CASE("sm_100a: lists of block-scaled products", "[gemm][tcgen05][nvfp4][grouped]")
{
    check_scaled_list<nvfp4_format, nvfp4_format, 256, 256, 2>(260, 12, 600, 2);
    check_scaled_list<nvfp4_format, nvfp4_format, 256, 256, 2>(3, 9, 70); // C directly, for the product of 9 columns
    check_scaled_list<nvfp4_format, nvfp4_format, 256, 256, 2>(3, 4, 70, 1, true, 0.0f); // no k is looked at
}

TEST_CASE("sm_100a: block-scaled products whose k clusters share", "[gemm][tcgen05][nvfp4]")
{
    check_scaled_split_k<nvfp4_format, nvfp4_format, 256, 256, 2>(300, 270, 1300);
    check_scaled_split_k<mxfp8, mxfp8, 128, 128, 1>(3, 4, 0, 1, true); // no k
}

} // namespace tegula::test
