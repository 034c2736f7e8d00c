#pragma once

#include <tegula/block/output_stage.hpp>
#include <tegula/kernel/attention/backward/workspace.hpp>

namespace tegula {

namespace detail {

/// The epilogue of a gradient: multiplies by a number.
struct multiply_by
{
    float factor;

    template <class Tile, class Window>
    TEGULA_INLINE void operator()(Tile& tile, const Window&, long_index_t) const
    {
        transform(tile, [&](float x) { return x * factor; });
    }
};

} // namespace detail

/// Writes factor * acc, the accumulators of Product, to the rows of a gradient from row `row` on, as far as there are
/// rows and columns. Rows start at multiples of 16 bytes. `memory`: shared memory that no lane uses behind a barrier.
template <class Product, class T>
TEGULA_INLINE void store_gradient_rows(const typename Product::accumulators& acc, const detail::head_rows<T>& gradient,
                                       index_t rows, index_t columns, index_t row, float factor, std::byte* memory,
                                       const char* name)
{
    using stage = output_stage<Product>;
    const auto view = make_tensor_view<typename Product::target, address_space::global>(
        gradient.data,
        make_strided_descriptor(make_tuple(rows, columns), make_tuple(gradient.row_stride, constant<1>{}),
                                constant<16 / static_cast<index_t>(sizeof(T))>{}),
        name);
    const auto window = make_tile_window<typename stage::pass_distribution>(view, {row, 0});
    stage::store_through([&] { return detail::multiply_by{factor}; }, acc, window, 0, memory);
}

} // namespace tegula
