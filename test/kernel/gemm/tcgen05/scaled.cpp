// Block-scaled products on sm_100a: MX formats and NVFP4, one block and a pair, scales past the edges, no k. The grid has
// the other tiles and pairs of formats.

#include "test/kernel/gemm/tcgen05/scaled.hpp"

namespace tegula::test {

TEST_CASE("sm_100a: products of NVFP4 operands by pairs of blocks", "[gemm][tcgen05][nvfp4]")
{
    // Rows of C that no tensor copy reaches, whole ones that it does, and rows that it would write past.
    check_scaled_dispatch<nvfp4_format, nvfp4_format, 256, 256, 2>(300, 270, 1300, 1, false, 0.5f, 271);
    check_scaled_dispatch<nvfp4_format, nvfp4_format, 256, 256, 2>(20, 12, 50, 3);
    check_scaled_dispatch<nvfp4_format, nvfp4_format, 256, 256, 2>(3, 9, 50);
}

TEST_CASE("sm_100a: NVFP4 next to two sets of accumulators, whose stages take turns in places for scales",
          "[gemm][tcgen05][nvfp4]")
{
    // The second tile of columns begins within a block of 128 scales.
    check_scaled<nvfp4_format, nvfp4_format, 256, 192, 2>(140, 212, 1300);
}

TEST_CASE("sm_100a: stream-K has nothing to share without k", "[gemm][tcgen05][mx]")
{
    constexpr operand_order along_k = operand_order::k_contiguous;
    using kernel = tcgen05_gemm<tcgen05_scaled_tile<target, mxfp8, mxfp8, 128, 128, 1>, along_k, along_k, float,
                                epilogue::linear<>, output_store::direct, work_partition::stream>;
    std::vector<float> c(16);
    kernel::product_type product;
    product.m = product.n = 4, product.c = {c.data(), 4, 1, 16};
    product.epilogue = epilogue::make_linear<float, float>(1, 0, {}, nullptr);
    kernel::arguments args;
    const status s = fill_arguments<kernel>(args, product, 4, [](auto&, const auto&) { return status(); });
    CHECK(s.code() == status_code::unsupported);
    CHECK(std::string(s.message()).find("no steps of k to share") != std::string::npos);
}

} // namespace tegula::test
