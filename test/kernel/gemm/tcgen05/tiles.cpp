// Shipped tiles of sm_100a, with 16-bit inputs: one block and pairs, every order of the operands, C by tensor copies and
// direct.

#include "test/kernel/gemm/tcgen05/tcgen05.hpp"

#include <tegula/kernel/gemm/tcgen05/dispatch.hpp>

#include <string_view>

using namespace tegula;
using namespace tegula::test;
constexpr operand_order k = operand_order::k_contiguous;
constexpr operand_order mn = operand_order::row_contiguous;
template <class T>
using tiles = tcgen05_tiles<arch::sm_100a, T>;

TEST_CASE("sm_100a: tcgen05, a block alone", "[gemm][tcgen05]")
{
    check_hopper<tcgen05_kernel<tiles<bfloat16>::tc128x256, k, k, bfloat16>>(quarter::first);
}

TEST_CASE("sm_100a: tcgen05, pairs of blocks, operands transposed", "[gemm][tcgen05]")
{
    check_hopper<tcgen05_kernel<tiles<half>::tc256x256_2x1, mn, mn, float>>(quarter::second);
}

TEST_CASE("sm_100a: tcgen05, C in rows that tensor copies cannot address", "[gemm][tcgen05]")
{
    check_hopper<tcgen05_kernel<tiles<bfloat16>::tc128x64, mn, k, float, c_layout::odd_rows>>(quarter::third);
}

// docs/gemm.md has these lines.
namespace {
namespace of_the_guide {
using target = arch::sm_100a;
using tile = tcgen05_tiles<target, bfloat16>::tc256x256_2x1;
using kernels = tcgen05_kernels<tile, bfloat16, epilogue::linear<bfloat16>>;
} // namespace of_the_guide
} // namespace

TEST_CASE("sm_100a: tcgen05 takes what tensor copies can address, and says what they cannot", "[gemm][tcgen05]")
{
    const auto takes = [](padding rows, long_index_t n = 72) {
        gemm_case what;
        what.m = 13, what.n = n, what.k = 130;
        what.rows = rows;
        gemm_data<bfloat16, bfloat16> data(what);
        return of_the_guide::kernels::can_take(data.arguments());
    };
    CHECK(takes(padding::vectors).ok());
    CHECK(std::string_view(takes(padding::odd).message()).starts_with("A: tensor map: the base address lies"));
    CHECK(
        std::string_view(takes(padding::vectors, 76).message()).starts_with("C has 76 columns; tensor copies write 8"));
}
