#pragma once

#include "test/kernel/gemm/forms/split_harness.hpp"

namespace tegula::test {

/// Split-K and stream-K of every size with inputs of type T and results of type C.
template <class Target, class T, class C>
void check_split_k_grid()
{
    constexpr auto a = operand_order::k_contiguous, b = operand_order::row_contiguous;
    using tile = typename gemm_tiles<Target, T>::t64x64;
    check_split_k_cases<split_k_gemm, tile, a, b, C>(grid_cases(a, b), split_counts());
    check_split_k_cases<stream_k_gemm, tile, a, b, C>(grid_cases(a, b), worker_counts());
}

} // namespace tegula::test
