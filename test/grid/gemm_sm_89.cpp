#include "test/kernel/gemm/harness.hpp"
#include "test/kernel/truncating_atom.hpp"

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

/// The most that an element of C lacks. 13 bits behind the leading one hold any sum of 128 products of integers from 8 to
/// 11, which is below 2^14, but not every sum of 256.
template <class Kernel>
float largest_loss()
{
    constexpr long_index_t m = Kernel::tile::block_m, n = Kernel::tile::block_n, k = 2048 + 48;
    std::vector<float8_e4m3> a(m * k), b(n * k);
    fill_integers<float8_e4m3>(a, 1, 8, 11);
    fill_integers<float8_e4m3>(b, 2, 8, 11);
    std::vector<float> c(m * n);
    typename Kernel::arguments args;
    args.m = m;
    args.n = n;
    args.k = k;
    args.a = {a.data(), k, 1, 0};
    args.b = {b.data(), 1, k, 0};
    args.c = {c.data(), n, 1, 0};
    check_launched(emulate(Kernel{}, args));
    float largest = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
        float exact = 0;
        for (std::size_t j = 0; j < k; ++j)
            exact += static_cast<float>(a[i / n * k + j]) * static_cast<float>(b[i % n * k + j]);
        largest = std::max(largest, exact - c[i]);
    }
    return largest;
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
