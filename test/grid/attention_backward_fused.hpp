#pragma once

#include "test/grid/attention_backward_combinations.hpp"

namespace tegula::test {

/// Lengths of gradients in five products, of heads with so many columns.
template <class Kernels>
void check_fused_lengths(index_t columns)
{
    check_attention_gradients<Kernels>({1, 1, 1, 1, 1, columns, columns});
    check_attention_gradients<Kernels>({1, 2, 1, 3, 65, columns - 24, columns - 8});
    check_attention_gradients<Kernels>({2, 4, 2, 165, 300, columns, columns, {}, true}); // blocks that share dQ
    check_attention_gradients<Kernels>({1, 1, 1, 500, 140, columns, columns});           // more tiles than the ring has
    check_attention_gradients<Kernels>({1, 2, 1, 0, 5, columns, columns});
    check_attention_gradients<Kernels>({1, 2, 1, 5, 0, columns, columns});
    check_attention_gradients<Kernels>({0, 2, 1, 5, 5, columns, columns});
}

} // namespace tegula::test
