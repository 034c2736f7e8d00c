#pragma once

#include <tegula/kernel/gemm/forms/weight_tiles.hpp>

#include "test/kernel/gemm/forms/quantized_weights.hpp"

namespace tegula::test {

/// Weights that stay packed in shared memory: few rows, and edges of n, k and groups. B is the order of the aligned
/// kernel; the other one reads element by element.
template <class Tile, class Form, operand_order B>
void check_few_rows()
{
    constexpr auto k_contiguous = operand_order::k_contiguous;
    using kernels =
        two_of<quantized_weights_kernels<Tile, Form, float, quantized_weights_epilogue<Form>>, k_contiguous, B>;
    int uses[2] = {};
    for (gemm_case f : {gemm_case{1, 128, 1024}, gemm_case{3, 136, 1160}, gemm_case{17, 264, 384},
                        gemm_case{65, 40, 513}, gemm_case{1, 7, 31}, gemm_case{5, 3, 0}}) {
        f.a = memory_order::row_major;
        f.b = B == k_contiguous ? memory_order::column_major : memory_order::row_major;
        for (const padding rows : {padding::vectors, padding::odd}) {
            f.rows = rows;
            INFO(f.text());
            check_quantized_weights_case<kernels, typename Tile::a_type, Form>(f, least_input_of<Tile>, uses);
        }
    }
    CHECK(uses[0] >= 3);
    CHECK(uses[1] >= 3);
}

} // namespace tegula::test
