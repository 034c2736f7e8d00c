// The tiles and formats of block-scaled products that test/kernel/gemm/tcgen05/scaled.cpp leaves out.

#include "test/kernel/gemm/tcgen05/scaled.hpp"

namespace tegula::test {

TEST_CASE("sm_100a: every shipped tile and format of block-scaled products", "[.full][gemm][tcgen05][mx]")
{
    check_scaled<mxfp8, mxfp8, 256, 256, 2>(200, 300, 900);
    check_scaled<mxfp4, mxfp4, 128, 128, 1>(130, 100, 1500, 1, false, 0.5f);
    check_scaled<mxfp4, mxfp4, 128, 128, 1>(3, 4, 1, 1, true);
    check_scaled<mxfp6, mxfp6, 128, 128, 1>(9, 132, 640, 1, true);
    check_scaled<mxfp4, mxfp8, 128, 128, 1>(60, 40, 300);
    check_scaled<mxfp4, mxfp4, 256, 256, 2>(300, 260, 1400);
    check_scaled<nvfp4_format, nvfp4_format, 128, 128, 1>(130, 152, 1900);
    check_scaled<mx_format<float8_e5m2>, mx_format<float6_e3m2>, 128, 128, 1>(70, 60, 400);
}

TEST_CASE("sm_100a: block-scaled products of 192 columns", "[.full][gemm][tcgen05][mx]")
{
    check_scaled<nvfp4_format, nvfp4_format, 256, 192, 2>(300, 600, 1900);
    check_scaled<nvfp4_format, nvfp4_format, 256, 192, 2>(20, 212, 50, 3);
    check_scaled_dispatch<nvfp4_format, nvfp4_format, 256, 192, 2>(300, 270, 1300, 1, false, 0.5f, 271);
    check_scaled_split_k<nvfp4_format, nvfp4_format, 256, 192, 2>(130, 400, 1900);
    check_scaled_list<nvfp4_format, nvfp4_format, 256, 192, 2>(70, 197, 900);
    check_scaled<mxfp8, mxfp8, 256, 192, 2>(200, 400, 900);
    check_scaled<mxfp4, mxfp4, 256, 192, 2>(130, 388, 1500);
    check_scaled<nvfp4_format, nvfp4_format, 128, 192, 1>(130, 400, 1900);
}

} // namespace tegula::test
