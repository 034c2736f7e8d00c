#pragma once

#include <tegula/block/row_fold.hpp>

namespace tegula {

/// Of a row: its mean, and the sum of the squares of what its elements differ from it by.
struct row_moments
{
    float mean;
    float squares;
};

/// The moments of a row of `length` elements, by differences from means, so that no large squares cancel. Of a row in
/// registers its elements become their differences from the mean. Of others those of each lane's chunks are joined by the
/// formula of Chan, Golub and LeVeque ("Updating formulae and a pairwise algorithm for computing sample variances", 1979).
template <class Tile, class Load>
TEGULA_INLINE row_moments find_moments(row_values<Tile, Load>& row, index_t length)
{
    if constexpr (Tile::resident) {
        auto& x = row.held;
        const float sum = fold_registers<Tile, 2>(0.0f, plus{}, [&](auto r) { return x[r]; }); // 0 past the end
        const float mean = Tile::combine(sum, plus{}) / static_cast<float>(length);
        const float squares = sum_with_mean<Tile, 2>(0, length, mean, [&](auto r, float of_vector) {
            x[r] -= of_vector;
            return x[r] * x[r];
        });
        return {mean, Tile::combine(squares, plus{})};
    } else {
        float count = 0, mean = 0, squares = 0;
        row.sweep([&](auto& x, index_t first) {
            const auto n = static_cast<float>(count_in_row<Tile>(first, length));
            const float sum = fold_registers<Tile>(0.0f, plus{}, [&](auto r) { return x[r]; }); // 0 past the end
            const float chunk_mean = n > 0 ? sum / n : 0.0f;
            const float part = sum_with_mean<Tile>(first, length, chunk_mean, [&](auto r, float of_vector) {
                const float difference = x[r] - of_vector;
                return difference * difference;
            });
            if (n > 0) {
                const float all = count + n, difference = chunk_mean - mean;
                mean += difference * (n / all);
                squares += part + difference * (difference * (count * n / all)); // 0 of the first, however large
                count = all;
            }
        });
        const float row_mean = Tile::combine(mean * count, plus{}) / static_cast<float>(length);
        const float difference = mean - row_mean;
        return {row_mean, Tile::combine(squares + count * difference * difference, plus{})};
    }
}

/// The sum of the squares of a row.
template <class Tile, class Load>
TEGULA_INLINE float find_squares(row_values<Tile, Load>& row)
{
    float sum = 0;
    row.sweep(
        [&](auto& x, index_t) { sum += fold_registers<Tile>(0.0f, plus{}, [&](auto r) { return x[r] * x[r]; }); });
    return Tile::combine(sum, plus{});
}

} // namespace tegula
