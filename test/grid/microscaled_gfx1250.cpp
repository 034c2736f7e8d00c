// Block-scaled products by gfx1250's waves: Microscaling formats quantised by the kernel, sizes past every edge, batches.

#include "test/kernel/gemm/microscaled/scaled_product.hpp"

namespace tegula::test {

namespace {

using target = arch::gfx1250;

template <class Format, class FormatB = Format>
using small = typename scaled_wave_tiles<target, Format, FormatB>::t128x128;
// A smaller t256x256: the data mover fills it, too.
template <class Format, class FormatB = Format>
using by_mover = scaled_wave_tile<target, Format, FormatB, 64, 128, 2, 4, 3, tensor_multistage>;

} // namespace

TEST_CASE("gfx1250: products of MX operands, exact where sums are", "[gemm][mx]")
{
    check_scaled<target, mxfp8, small<mxfp8>>(130, 70, 700, 1, true);
    check_scaled<target, mxfp8, by_mover<mxfp8>>(65, 140, 300, 2);
    check_scaled<target, mxfp6, small<mxfp6>>(17, 129, 640, 2, false, 0.5f);
    check_scaled<target, mxfp4, by_mover<mxfp4>>(70, 65, 900, 1, true);
    check_scaled<target, mxfp4, by_mover<mxfp4>>(1, 129, 384);
    check_scaled<target, mxfp8, small<mxfp8>>(3, 4, 0, 1, true);
}

// Rows of A and of B have bytes of their own.
TEST_CASE("gfx1250: MX operands of two widths", "[gemm][mx]")
{
    check_scaled<target, mxfp8, by_mover<mxfp8, mxfp4>>(65, 140, 700, 1, true);
    check_scaled<target, mxfp6, small<mxfp6, mxfp8>>(17, 129, 300, 2);
}

TEST_CASE("gfx1250: MX operands of two types and the largest tile", "[.full]")
{
    using mxfp8_e5m2 = mx_format<float8_e5m2>;
    check_scaled<target, mxfp8, small<mxfp8, mxfp8_e5m2>>(200, 140, 500, 1, true);
    check_scaled<target, mxfp8, scaled_wave_tiles<target, mxfp8>::t256x256>(300, 257, 1300);
}

} // namespace tegula::test
