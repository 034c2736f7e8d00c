#include "test/kernel/gemm/forms/grouped_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx942;
using tile = gemm_tiles<target, bfloat16>::t64x64;
using element_wise = gemm_kernels<tile, float, test_epilogue<float>::type>::element_wise;

TEST_CASE("gfx942: grouped GEMM, bf16, over pairs of sizes, strides and epilogues in a few launches", "[gemm]")
{
    check_grouped<gemm_tiles<target, bfloat16>::t64x64, k_contiguous, row_contiguous, float>(quarter::all);
}

TEST_CASE("grouped: what does not fit is named by its index", "[gemm]")
{
    gemm_case good;
    good.m = good.n = good.k = 64;
    gemm_case odd = good;
    odd.rows = padding::odd;
    using aligned = gemm_kernels<tile, float, test_epilogue<float>::type>::aligned<k_contiguous, row_contiguous>;

    grouped_run<aligned> wrong_a({good, good, odd});
    CHECK(wrong_a.number().message() == std::string("product 2: the kernel needs an A with stride 1 along k, its "
                                                    "vectors at multiples of 16 bytes; use the element-wise kernel"));
    grouped_run<aligned> wrong_b({good, odd});
    wrong_b.products[1].a = wrong_b.products[0].a;
    CHECK(wrong_b.number().message() == std::string("product 1: the kernel needs a B with stride 1 along n, its "
                                                    "vectors at multiples of 16 bytes; use the element-wise kernel"));
    grouped_run<aligned> wrong_c({odd});
    wrong_c.products[0].a = wrong_b.products[0].a;
    wrong_c.products[0].b = wrong_b.products[0].b;
    CHECK(wrong_c.number().message() ==
          std::string("product 0: the kernel needs a C, and a source of its epilogue, with column stride 1 and rows "
                      "at multiples of 16 bytes; use the element-wise kernel"));
    CHECK(wrong_c.number().code() == status_code::unsupported);

    grouped_run<element_wise> negative({good, good});
    negative.products[1].n = -4;
    CHECK(negative.number().message() == std::string("product 1: n is -4; sizes start at 0"));
    CHECK(negative.number().code() == status_code::invalid_argument);

    grouped_run<element_wise> many({good, good, good});
    many.products[0].batch = many.products[1].batch = 1 << 29;
    many.products[0].c.batch_stride = many.products[1].c.batch_stride = 4096;
    CHECK(many.number().ok());
    many.products[2].batch = (1 << 30) + 5;
    many.products[2].c.batch_stride = 4096;
    CHECK(many.number().message() == std::string("products 0 to 2 take 2147483653 blocks; the limit is 2147483647, "
                                                 "use a larger tile"));
}

TEST_CASE("grouped: no products, and only empty ones", "[gemm]")
{
    grouped_run<element_wise> none(std::vector<gemm_case>{});
    none.check();
    CHECK(none.first_block == std::vector<index_t>{0});
    grouped_run<element_wise> empty(std::vector<gemm_case>(3, [] {
        gemm_case what;
        what.m = 0;
        return what;
    }()));
    empty.check();
    CHECK(empty.first_block == std::vector<index_t>{0, 0, 0, 0});
}

TEST_CASE("grouped: results repeat bit by bit, and equal those of single products", "[gemm]")
{
    const std::vector<gemm_case> cases = pairwise_gemm_cases(few_gemm_sizes());
    grouped_run<element_wise> one(cases), two(cases);
    one.check(1);
    two.check(2);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        grouped_run<element_wise> single({cases[i]});
        single.check();
        const auto bytes = one.data[i].c.values.size() * sizeof(float);
        CHECK(std::memcmp(one.data[i].c.values.data(), two.data[i].c.values.data(), bytes) == 0);
        CHECK(std::memcmp(one.data[i].c.values.data(), single.data[0].c.values.data(), bytes) == 0);
    }
}
