#pragma once

/// Runs tcgen05 kernels on the emulator with every check on, as gemm_hopper.hpp does those of wgmma.

#include <tegula/kernel/gemm/tcgen05/kernel.hpp>
#include <tegula/kernel/gemm/tcgen05/tiles.hpp>

#include "test/kernel/gemm/warp_specialized/warp_specialized.hpp"

namespace tegula::test {

/// The kernel of a tile that tests run for inputs of these orders.
template <class Tile, operand_order A, operand_order B, class C, c_layout Layout = c_layout::tensor_copies>
using tcgen05_kernel =
    tcgen05_gemm<Tile, A, B, C, typename test_epilogue<C>::type,
                 Layout == c_layout::tensor_copies ? output_store::tensor_copies : output_store::direct>;

} // namespace tegula::test
