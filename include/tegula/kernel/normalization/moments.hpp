#pragma once

#include <tegula/block/row_tile.hpp>

namespace tegula {

/// Of a row: its mean, and the sum of the squares of what its elements differ from it by.
struct row_moments
{
    float mean;
    float squares;
};

/// The moments of a row of `length` elements, by differences from means, so that no large squares cancel: of each lane's
/// chunks, joined by the formula of Chan, Golub and LeVeque ("Updating formulae and a pairwise algorithm for computing
/// sample variances", 1979).
template <class Tile, class Load>
TEGULA_INLINE row_moments find_moments(row_values<Tile, Load>& row, index_t length)
{
    float count = 0, mean = 0, squares = 0;
    row.sweep([&](auto& x, index_t first) {
        float n = 0, sum = 0, part = 0;
        for_each_in_row<Tile>(first, length, [&](auto r, index_t, bool inside) {
            n += inside ? 1.0f : 0.0f;
            sum += x[r]; // 0 past the end
        });
        const float chunk_mean = n > 0 ? sum / n : 0.0f;
        for_each_in_row<Tile>(first, length, [&](auto r, index_t, bool inside) {
            const float difference = inside ? x[r] - chunk_mean : 0.0f;
            part += difference * difference;
        });
        if constexpr (Tile::resident) {
            count = n;
            mean = chunk_mean;
            squares = part;
        } else if (n > 0) {
            const float all = count + n, difference = chunk_mean - mean;
            mean += difference * (n / all);
            squares += part + difference * difference * (count * n / all);
            count = all;
        }
    });
    const float row_mean = Tile::combine(mean * count, plus{}) / static_cast<float>(length);
    const float difference = mean - row_mean;
    return {row_mean, Tile::combine(squares + count * difference * difference, plus{})};
}

/// The sum of the squares of a row.
template <class Tile, class Load>
TEGULA_INLINE float find_squares(row_values<Tile, Load>& row)
{
    float sum = 0;
    row.sweep([&](auto& x, index_t) {
        float part = 0;
        for_each_register<Tile::registers>([&](auto r) { part += x[r] * x[r]; });
        sum += part;
    });
    return Tile::combine(sum, plus{});
}

} // namespace tegula
