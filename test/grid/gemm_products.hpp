#pragma once

#include "test/kernel/gemm/forms/grouped_harness.hpp"
#include "test/kernel/gemm/harness.hpp"

namespace tegula::test {

/// Plain, batched and grouped products of every size with inputs of type T and results of type C.
template <class Target, class T, class C>
void check_product_grid()
{
    constexpr auto a = operand_order::k_contiguous, b = operand_order::row_contiguous;
    using tile = typename gemm_tiles<Target, T>::t64x64;
    using kernels = two_kernels<tile, a, b, C, typename test_epilogue<C>::type>;
    check_cases<kernels, T, C>(grid_cases(a, b));
    check_grouped_grid<tile, a, b, C>();
}

} // namespace tegula::test
