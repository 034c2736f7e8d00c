// sm_100a: lists of products of different sizes in one launch of one block's and of a pair's tiles.

#include <tegula/kernel/gemm/tcgen05/dispatch.hpp>

#include "test/kernel/gemm/tcgen05/tcgen05.hpp"
#include "test/kernel/gemm/warp_specialized/list.hpp"

using namespace tegula;
using namespace tegula::test;
constexpr operand_order k = operand_order::k_contiguous;
constexpr operand_order mn = operand_order::row_contiguous;

template <class Tile, operand_order A, operand_order B, class C>
using kernel =
    tcgen05_gemm<Tile, A, B, C, typename test_epilogue<C>::type, output_store::tensor_copies, work_partition::list>;

TEST_CASE("sm_100a: tcgen05, lists of products", "[gemm][tcgen05][grouped]")
{
    check_mapped_list<kernel<tcgen05_tiles<arch::sm_100a, bfloat16>::tc128x64, k, k, bfloat16>>();
}

TEST_CASE("sm_100a: tcgen05, lists of products of pairs of blocks", "[gemm][tcgen05][grouped]")
{
    check_mapped_list<kernel<tcgen05_tiles<arch::sm_100a, half>::tc256x256_2x1, k, mn, float>>();
}

// The kernel that product_list finds, and the sentences where it finds none.
TEST_CASE("sm_100a: tcgen05, a list takes the kernel that its products' operands ask for", "[gemm][tcgen05][grouped]")
{
    check_choice_of_list<
        tcgen05_kernels<tcgen05_tiles<arch::sm_100a, bfloat16>::tc128x64, bfloat16, test_epilogue<bfloat16>::type>>();
}
