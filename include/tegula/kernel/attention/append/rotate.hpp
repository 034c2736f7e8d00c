#pragma once

#include <tegula/core/rounding.hpp>
#include <tegula/kernel/attention/append/arguments.hpp>
#include <tegula/layout/descriptor/coordinate.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/coalesced.hpp>
#include <tegula/tensor/elementwise.hpp>
#include <tegula/tensor/tile_window.hpp>

/// Rows of a head that a wave copies and rotates by a rotary embedding.

namespace tegula {

/// Rows in memory whose columns are adjacent; each row starts at a multiple of 16 bytes.
template <class T>
struct aligned_rows
{
    T* data;
    long_index_t stride;

    /// The window of a tile from column `column` on, of which `columns` columns and `rows` rows exist.
    template <class Target, class Distribution>
    TEGULA_INLINE auto window(index_t column, index_t columns, index_t rows, const char* name) const
    {
        const auto view = make_tensor_view<Target, address_space::global>(
            data + column,
            make_strided_descriptor(make_tuple(rows, columns), make_tuple(stride, constant<1>{}),
                                    constant<16 / static_cast<index_t>(sizeof(T))>{}),
            name);
        return make_tile_window<Distribution>(view, {0, 0});
    }
};

/// Copies `count` rows of `columns` columns from column `first` on.
template <class Target, class T, index_t Rows, index_t Columns>
TEGULA_INLINE void copy_rows(const aligned_rows<const T>& from, const aligned_rows<T>& to, index_t columns,
                             index_t count, index_t first = 0)
{
    using distribution = coalesced<Target, T, Rows, Columns, 1>;
    const auto tile = load(from.template window<Target, distribution>(first, columns - first, count, "new rows"));
    store(to.template window<Target, distribution>(first, columns - first, count, "cache"), tile);
}

/// The pair (x, y) rotated by an angle.
TEGULA_INLINE array<float, 2> rotate(float x, float y, float cosine, float sine)
{
    return {multiply_add(x, cosine, -rounded_product(y, sine)), multiply_add(y, cosine, rounded_product(x, sine))};
}

/// Copies `count` rows of `columns` columns, rotated; the first row is at position `position`.
template <class Target, class T, index_t Rows, index_t Columns>
TEGULA_INLINE void rotate_rows(const aligned_rows<const T>& from, const aligned_rows<T>& to, index_t columns,
                               index_t count, const rotary_embedding& rotary, index_t position)
{
    if (rotary.cosines == nullptr) {
        copy_rows<Target, T, Rows, Columns>(from, to, columns, count);
        return;
    }
    const index_t half = rotary.columns / 2;
    const long_index_t row = position * rotary.row_stride;
    const aligned_rows<const float> cosines{rotary.cosines + row, rotary.row_stride};
    const aligned_rows<const float> sines{rotary.sines + row, rotary.row_stride};
    if (rotary.interleaved) {
        // Pairs are words.
        struct pair
        {
            T x, y;
        };
        using distribution = coalesced<Target, std::uint32_t, Rows, Columns / 2, 1>;
        const aligned_rows<const std::uint32_t> words{reinterpret_cast<const std::uint32_t*>(from.data),
                                                      from.stride / 2};
        const aligned_rows<std::uint32_t> rotated{reinterpret_cast<std::uint32_t*>(to.data), to.stride / 2};
        auto tile = load(words.template window<Target, distribution>(0, half, count, "new rows"));
        const auto c = load(cosines.template window<Target, distribution>(0, half, count, "cosines"));
        const auto s = load(sines.template window<Target, distribution>(0, half, count, "sines"));
        static_for<decltype(tile)::num_registers>([&](auto i) {
            const pair p = __builtin_bit_cast(pair, tile[i]);
            const float x = convert<float>(p.x), y = convert<float>(p.y);
            const auto rotated = rotate(x, y, c[i], s[i]);
            tile[i] = __builtin_bit_cast(std::uint32_t, pair{convert<T>(rotated[0]), convert<T>(rotated[1])});
        });
        store(rotated.template window<Target, distribution>(0, half, count, "cache"), tile);
    } else {
        using distribution = coalesced<Target, T, Rows, Columns / 2, 1>;
        auto low = load(from.template window<Target, distribution>(0, half, count, "new rows"));
        auto high = load(from.template window<Target, distribution>(half, half, count, "new rows"));
        const auto c = load(cosines.template window<Target, distribution>(0, half, count, "cosines"));
        const auto s = load(sines.template window<Target, distribution>(0, half, count, "sines"));
        static_for<decltype(low)::num_registers>([&](auto i) {
            const float x = convert<float>(low[i]), y = convert<float>(high[i]);
            const auto rotated = rotate(x, y, c[i], s[i]);
            low[i] = convert<T>(rotated[0]);
            high[i] = convert<T>(rotated[1]);
        });
        store(to.template window<Target, distribution>(0, half, count, "cache"), low);
        store(to.template window<Target, distribution>(half, half, count, "cache"), high);
    }
    if (rotary.columns < columns)
        copy_rows<Target, T, Rows, Columns>(from, to, columns, count, rotary.columns);
}

} // namespace tegula
