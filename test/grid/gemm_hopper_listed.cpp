// sm_90a: lists of products of different sizes in one launch of warp-specialised kernels.

#include <tegula/kernel/gemm/warp_specialized/dispatch.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

#include "test/kernel/gemm/warp_specialized/list.hpp"

using namespace tegula;
using namespace tegula::test;
constexpr operand_order k = operand_order::k_contiguous;
constexpr operand_order mn = operand_order::row_contiguous;
template <class T>
using tiles = warp_specialized_tiles<arch::sm_90a, T>;

TEST_CASE("sm_90a: warp-specialised, lists of products of clusters that share copies", "[gemm][hopper][grouped]")
{
    check_mapped_list<listed_hopper_kernel<tiles<bfloat16>::ws128x256_2x1, k, mn, bfloat16>>();
}

TEST_CASE("sm_90a: warp-specialised, lists of products of consumers in turns", "[gemm][hopper][grouped]")
{
    using kernel = listed_hopper_kernel<tiles<half>::ws128x128, mn, k, float, output_store::direct>;
    check_mapped_list<kernel>();
    check_mapped_list<kernel>(1); // one block has every tile: behind those without k others wait for their turn
}

TEST_CASE("sm_90a: warp-specialised, lists of products of few rows, of fp8 and of integers", "[gemm][hopper][grouped]")
{
    check_mapped_list<listed_hopper_kernel<tiles<float8_e4m3>::ws16x128, k, k, bfloat16>>();
    check_mapped_list<listed_hopper_kernel<tiles<std::int8_t>::ws64x64, k, k, std::int32_t>>();
}

// The kernel that product_list finds, and the sentences where it finds none.
TEST_CASE("sm_90a: warp-specialised, a list takes the kernel that its operands ask for", "[gemm][hopper][grouped]")
{
    check_choice_of_list<
        warp_specialized_kernels<tiles<bfloat16>::ws64x128, bfloat16, test_epilogue<bfloat16>::type>>();
}
