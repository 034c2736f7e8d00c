#pragma once

#include "test/kernel/gemm/warp_specialized/list.hpp"

namespace tegula::test {

/// Calls check.template operator()<Tile>() with every warp-specialised tile shipped for T.
template <class T, class Check>
void for_each_hopper_tile(const Check& check)
{
    using tiles = warp_specialized_tiles<arch::sm_90a, T>;
    check.template operator()<typename tiles::ws128x256_2x1>();
    check.template operator()<typename tiles::ws256x128_1x2>();
    check.template operator()<typename tiles::ws128x192_2x1>();
    check.template operator()<typename tiles::ws128x128_2x1>();
    check.template operator()<typename tiles::ws64x256_2x1>();
    check.template operator()<typename tiles::ws128x128>();
    check.template operator()<typename tiles::ws16x128>();
    check.template operator()<typename tiles::ws32x128>();
    check.template operator()<typename tiles::ws64x128>();
    check.template operator()<typename tiles::ws128x128_transposed>();
    check.template operator()<typename tiles::ws256x128_2x1>();
    check.template operator()<typename tiles::ws16x64>();
    check.template operator()<typename tiles::ws32x64>();
    check.template operator()<typename tiles::ws64x64>();
    if constexpr (tiles::has_promoted) {
        check.template operator()<typename tiles::ws128x128_2x1_promoted>();
        check.template operator()<typename tiles::ws128x128_promoted>();
    }
}

/// Each of them with operands of these orders, over the whole pairwise set.
template <class T, class C, operand_order A, operand_order B, c_layout Layout = c_layout::tensor_copies>
void check_hopper_grid()
{
    for_each_hopper_tile<T>([]<class Tile>() { check_hopper<hopper_kernel<Tile, A, B, C, Layout>>(); });
}

/// Each of them with lists of products.
template <class T, class C, operand_order A, operand_order B, output_store Store = output_store::tensor_copies>
void check_hopper_lists()
{
    for_each_hopper_tile<T>([]<class Tile>() {
        using kernel = listed_hopper_kernel<Tile, A, B, C, Store>;
        check_mapped_list<kernel>(hopper_cases<kernel>(quarter::all));
    });
}

} // namespace tegula::test
