#pragma once

#include <tegula/block/row_fold.hpp>

#include <cstdint>
#include <type_traits>

namespace tegula {

/// The power of two by which a row is divided before its elements are squared. It is the one at or below the largest
/// magnitude, so that no square overflows and none that matters underflows. Both members are normal floats; multiplying
/// by a power of two rounds nothing.
struct row_unit
{
    float size;    ///< from 2^-126 to 2^126
    float inverse; ///< 1 / size

    /// Precondition: `largest` is not negative.
    explicit TEGULA_INLINE row_unit(float largest)
    {
        const auto exponent = __builtin_bit_cast(std::uint32_t, largest) & 0x7f800000u;
        const std::uint32_t bits = max(min(exponent, 253u << 23), 1u << 23);
        size = __builtin_bit_cast(float, bits);
        inverse = __builtin_bit_cast(float, (254u << 23) - bits);
    }
};

/// A row's mean, and the sum of the squares of its elements' differences from it, measured in `unit`.
struct row_moments
{
    float mean;
    float squares;
    row_unit unit;
};

/// The sum of the squares of a row's elements, measured in `unit`.
struct row_squares
{
    float squares;
    row_unit unit;
};

/// 1 / sqrt(variance + epsilon): the factor of numbers in the row's unit, and the factor of the row's own.
struct inverse_deviation
{
    float of_units;
    float of_numbers;
};

/// Precondition: the unit is at least about sqrt(epsilon), or 1.
///
///   variance  in squares of the unit
template <class Target>
TEGULA_INLINE inverse_deviation find_inverse_deviation(float variance, const row_unit& unit, float epsilon)
{
    const float sum = variance + epsilon * unit.inverse * unit.inverse;
    // Elements that differ have a larger variance, at least 2^-79: these are equal. Their unit may not hold epsilon.
    const bool equal = sum < 0x1p-100f;
    const float inverse = Target::rsqrt(equal ? epsilon : sum);
    return {inverse, equal ? inverse : inverse * unit.inverse};
}

namespace detail {

/// Makes the unit as large as `largest` requires. Returns the factor for numbers in the old unit.
TEGULA_INLINE float enlarge(row_unit& unit, float largest)
{
    const row_unit next(largest);
    const float ratio = unit.size * next.inverse;
    unit = next;
    return ratio;
}

/// A row's moments from those of each lane's chunks, joined by the formula of Chan, Golub and LeVeque ("Updating formulae and a
/// pairwise algorithm for computing sample variances", 1979).
///
///   Grows  each lane makes the unit as large as its elements require
template <bool Grows, class Tile, class Load>
TEGULA_INLINE row_moments find_moments_of_chunks(row_values<Tile, Load>& row, index_t length, row_unit unit)
{
    const greater_number<typename Tile::target> greater{};
    float count = 0, mean = 0, squares = 0;
    row.sweep([&](auto& x, index_t first) {
        if constexpr (Grows) {
            const float ratio = enlarge(unit, greater(find_largest<Tile, 2>(x), unit.size));
            mean *= ratio;
            squares *= ratio * ratio;
            x.discard_floats();
        }
        const auto n = static_cast<float>(count_in_row<Tile>(first, length));
        const float sum = sum_scaled<Tile>(x, unit.inverse); // 0 past the end
        const float chunk_mean = n > 0 ? sum / n : 0.0f;
        x.discard_floats();
        const float part = sum_squares<Tile>(x, unit.inverse, chunk_mean, first, length);
        if (n > 0) {
            const float all = count + n, difference = chunk_mean - mean;
            mean += difference * (n / all);
            squares += part + difference * (difference * (count * n / all)); // 0 for the first one, however large
            count = all;
        }
    });
    float ratio = 1;
    if constexpr (Grows)
        ratio = enlarge(unit, Tile::combine(unit.size, greater));
    mean *= ratio;
    const float row_mean = Tile::combine(mean * count, plus{}) / static_cast<float>(length);
    const float difference = mean - row_mean;
    squares = squares * (ratio * ratio) + count * difference * difference;
    return {row_mean, Tile::combine(squares, plus{}), unit};
}

/// The sum of a row's squares; Grows as above.
template <bool Grows, class Tile, class Load>
TEGULA_INLINE row_squares find_squares_of_chunks(row_values<Tile, Load>& row, row_unit unit)
{
    const greater_number<typename Tile::target> greater{};
    float sum = 0;
    row.sweep([&](auto& x, index_t) {
        float ratio = 1;
        if constexpr (Grows) {
            ratio = enlarge(unit, greater(find_largest<Tile, 2>(x), unit.size));
            x.discard_floats();
        }
        const float part = sum_own_squares<Tile>(x, unit.inverse);
        sum = sum * (ratio * ratio) + part;
    });
    float ratio = 1;
    if constexpr (Grows)
        ratio = enlarge(unit, Tile::combine(unit.size, greater));
    return {Tile::combine(sum * (ratio * ratio), plus{}), unit};
}

/// The result of find(whether the unit grows, the first unit). On a CPU the unit 1 is tried first, which needs no row's
/// largest element. It is right unless the squares have left float's range, or are so small that some have.
///
///   again  again() is called before a second sweep
TEGULA_CALLS_BACK
template <class Target, class Find, class Again>
TEGULA_INLINE auto find_in_units(float least, const Find& find, [[maybe_unused]] const Again& again)
{
    if constexpr (Target::wave_size == 1) {
        const auto of = find(std::false_type{}, row_unit(1.0f));
        if (of.squares < __builtin_huge_valf() && (of.squares >= 0x1p-60f || least >= 0x1p-30f))
            return of;
        again();
    }
    TEGULA_INLINE_CALL return find(std::true_type{}, row_unit(least));
}

} // namespace detail

/// The moments of `length` floats that follow each other, on a native CPU target; `least` as below.
template <class Target>
TEGULA_INLINE row_moments find_moments_of_run(const float* x, index_t length, float least)
{
    using rows = rows_of_lane<Target>;
    return detail::find_in_units<Target>(
        least,
        [&](auto grows, row_unit unit) {
            if constexpr (decltype(grows)::value)
                unit = row_unit(max(rows::largest(x, length), least));
            // The rounded sum of a long row is off by more than a deviation may be. The differences say by how much.
            const auto count = static_cast<float>(length);
            const float about = rows::sum(x, length, unit.inverse) / count;
            float rest = 0;
            const float squares = rows::squares(x, length, unit.inverse, about, rest);
            return row_moments{about + rest / count, max(squares - rest * (rest / count), 0.0f), unit};
        },
        [] {});
}

/// The sum of their squares.
template <class Target>
TEGULA_INLINE row_squares find_squares_of_run(const float* x, index_t length, float least)
{
    using rows = rows_of_lane<Target>;
    return detail::find_in_units<Target>(
        least,
        [&](auto grows, row_unit unit) {
            if constexpr (decltype(grows)::value)
                unit = row_unit(max(rows::largest(x, length), least));
            return row_squares{rows::squares(x, length, unit.inverse, 0.0f), unit};
        },
        [] {});
}

/// The moments of a row of `length` elements, by differences from means, so that no large squares cancel.
///
///   least  not negative: the unit is at least that of a row with such an element, or 1
///   again  again() is called if the row is loaded a second time
TEGULA_CALLS_BACK
template <class Tile, class Load, class Again>
TEGULA_INLINE row_moments find_moments(row_values<Tile, Load>& row, index_t length, float least, const Again& again)
{
    using target = typename Tile::target;
    if constexpr (Tile::resident && target::wave_size != 1) {
        const greater_number<target> greater{};
        float largest = 0, sum = 0, squares = 0;
        row.sweep([&](const auto& x, index_t) { largest = find_largest<Tile, 2>(x); });
        const row_unit unit(greater(Tile::combine(largest, greater), least));
        row.sweep([&](const auto& x, index_t) { sum = sum_scaled<Tile, 2>(x, unit.inverse); }); // 0 past the end
        const float mean = Tile::combine(sum, plus{}) / static_cast<float>(length);
        row.sweep([&](const auto& x, index_t first) {
            squares = sum_squares<Tile, 2>(x, unit.inverse, mean, first, length);
        });
        return {mean, Tile::combine(squares, plus{}), unit};
    } else {
        return detail::find_in_units<target>(
            least,
            [&](auto grows, const row_unit& unit) {
                return detail::find_moments_of_chunks<decltype(grows)::value>(row, length, unit);
            },
            again);
    }
}

/// The sum of the squares of a row; the arguments are those of find_moments.
TEGULA_CALLS_BACK
template <class Tile, class Load, class Again>
TEGULA_INLINE row_squares find_squares(row_values<Tile, Load>& row, float least, const Again& again)
{
    return detail::find_in_units<typename Tile::target>(
        least,
        [&](auto grows, const row_unit& unit) {
            return detail::find_squares_of_chunks<decltype(grows)::value>(row, unit);
        },
        again);
}

} // namespace tegula
