#pragma once

#include "test/kernel/gemm/warp_specialized/warp_specialized.hpp"

namespace tegula::test {

/// Every warp-specialised tile shipped for T with operands of these orders, over the whole pairwise set.
template <class T, class C, operand_order A, operand_order B, c_layout Layout = c_layout::tensor_copies>
void check_hopper_grid()
{
    using tiles = warp_specialized_tiles<arch::sm_90a, T>;
    check_hopper<hopper_kernel<typename tiles::ws128x256_2x1, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::ws256x128_1x2, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::ws128x192_2x1, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::ws128x128_2x1, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::ws64x256_2x1, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::ws128x128, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::ws16x128, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::ws32x128, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::ws64x128, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::ws128x128_transposed, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::ws256x128_2x1, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::ws16x64, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::ws32x64, A, B, C, Layout>>();
    check_hopper<hopper_kernel<typename tiles::ws64x64, A, B, C, Layout>>();
    if constexpr (tiles::has_promoted) {
        check_hopper<hopper_kernel<typename tiles::ws128x128_2x1_promoted, A, B, C, Layout>>();
        check_hopper<hopper_kernel<typename tiles::ws128x128_promoted, A, B, C, Layout>>();
    }
}

} // namespace tegula::test
