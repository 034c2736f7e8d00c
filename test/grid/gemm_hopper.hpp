#pragma once

#include "test/kernel/gemm_hopper.hpp"

namespace tegula::test {

/// Every warp-specialised tile shipped for T with operands of these orders, over the whole pairwise set.
template <class T, class C, operand_order A, operand_order B, c_layout Layout = c_layout::tensor_copies>
void check_hopper_grid()
{
    using tiles = warp_specialized_tiles<arch::sm_90a, T>;
    check_hopper<hopper_kernel<typename tiles::pair_wide, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::pair_tall, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::pair_square, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::pair_low, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::single, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::rows_16, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::rows_32, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::rows_64, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::rows_128, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::pair_column, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::slim_16, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::slim_32, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::slim_64, A, B, C, Layout>>();
    if constexpr (tiles::has_promoted)
        check_hopper<hopper_kernel<typename tiles::promoted, A, B, C, Layout>>();
}

} // namespace tegula::test
