#pragma once

#include <tegula/kernel/attention/backward/workspace.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/coalesced.hpp>
#include <tegula/tensor/convert.hpp>
#include <tegula/tensor/elementwise.hpp>

namespace tegula {

/// Writes factor * acc, the accumulators of Product, to the rows of a gradient from row `row` on, but nothing past its
/// last row or column. Whole rows are written in vectors of 16 bytes; rows start at multiples of 16 bytes.
///
///   memory  scratch: Bytes bytes of shared memory. After the barrier with which this function begins, no other code
///           may use it until the function returns.
template <class Product, index_t Bytes, class T>
TEGULA_INLINE void store_gradient_rows(const typename Product::accumulators& acc, const detail::head_rows<T>& gradient,
                                       index_t rows, index_t columns, index_t row, float factor, std::byte* memory,
                                       const char* name)
{
    if constexpr (Product::in_memory) { // on a CPU, whose accumulators lie in memory
        Product::store(acc, gradient, row, rows - row, columns, factor, name);
    } else {
        using target = typename Product::target;
        using coalesced_rows = coalesced<target, T, Product::block_m, Product::block_n, Product::waves>;
        distributed_tensor<float, typename Product::c_distribution> values;
        const auto& tiles = acc.tiles;
        values.registers = __builtin_bit_cast(decltype(values.registers), tiles);
        transform(values, [&](float x) { return x * factor; });
        target::shared_barrier();
        const auto result = convert<target, coalesced_rows, Bytes>(cast<T>(values), memory);
        const auto view = make_tensor_view<target, address_space::global>(
            gradient.row(row),
            make_strided_descriptor(make_tuple(rows - row, columns), make_tuple(gradient.row_stride, constant<1>{}),
                                    constant<16 / static_cast<index_t>(sizeof(T))>{}),
            name);
        store(make_tile_window<coalesced_rows>(view, {0, 0}), result);
    }
}

} // namespace tegula
