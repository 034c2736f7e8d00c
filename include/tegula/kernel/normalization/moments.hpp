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
    const float sum = multiply_add(epsilon * unit.inverse, unit.inverse, variance);
    // Elements that differ have a larger variance, at least 2^-79: these are equal. Their unit may not hold epsilon.
    const bool equal = sum < 0x1p-100f;
    const float inverse = Target::rsqrt(equal ? epsilon : sum);
    return {inverse, equal ? inverse : inverse * unit.inverse};
}

/// Whether a lane keeps a row for sweeps that change it. A CPU's one lane changes nothing.
template <class Tile>
inline constexpr bool changes_row = Tile::resident && Tile::target::wave_size != 1;

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
        }
        const auto n = static_cast<float>(count_in_row<Tile>(first, length));
        const float sum = sum_scaled<Tile>(x, unit.inverse); // 0 past the end
        const float chunk_mean = n > 0 ? sum / n : 0.0f;
        const float part = sum_squares<Tile>(x, unit.inverse, chunk_mean, first, length);
        if (n > 0) {
            const float all = count + n, difference = chunk_mean - mean;
            mean = multiply_add(difference, n / all, mean);
            squares +=
                multiply_add(difference, difference * (count * n / all), part); // + 0 for the first, however large
            count = all;
        }
    });
    float ratio = 1;
    if constexpr (Grows)
        ratio = enlarge(unit, Tile::combine(unit.size, greater));
    mean *= ratio;
    const float row_mean = Tile::combine(rounded_product(mean, count), plus{}) / static_cast<float>(length);
    const float difference = mean - row_mean;
    squares = multiply_add(count * difference, difference, rounded_product(squares, ratio * ratio));
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
        }
        const float part = sum_own_squares<Tile>(x, unit.inverse);
        sum = multiply_add(sum, ratio * ratio, part);
    });
    float ratio = 1;
    if constexpr (Grows)
        ratio = enlarge(unit, Tile::combine(unit.size, greater));
    return {Tile::combine(rounded_product(sum, ratio * ratio), plus{}), unit};
}

/// Whether sums of squares have neither left float's range, nor are so small that some squares have. `least` is compared by
/// its bits: AMD's scalar units compare no floats.
TEGULA_INLINE bool fits_float(float squares, float least)
{
    constexpr auto bits = [](float x) { return __builtin_bit_cast(std::uint32_t, x); };
    return squares < __builtin_huge_valf() && (squares >= 0x1p-60f || bits(least) >= bits(0x1p-30f));
}

/// The result of find(whether the unit grows, the first unit). On a CPU the unit 1 is tried first.
///
///   again  again() is called before a second sweep
TEGULA_CALLS_BACK
template <class Target, class Find, class Again>
TEGULA_INLINE auto find_in_units(float least, const Find& find, [[maybe_unused]] const Again& again)
{
    if constexpr (Target::wave_size == 1) {
        const auto of = find(std::false_type{}, row_unit(1.0f));
        if (fits_float(of.squares, least))
            return of;
        again();
    }
    TEGULA_INLINE_CALL return find(std::true_type{}, row_unit(least));
}

/// Loads a row that a GPU's registers hold, and again divided by its unit if sums of squares need one. If a wave has several
/// rows, all of them take theirs then. Returns the sum and the unit.
///
///   find   find(elements): the sum of squares; it may change the elements
///   again  again() is called before the row is loaded a second time
TEGULA_CALLS_BACK
template <class Tile, class Load, class Find, class Again>
TEGULA_INLINE row_squares load_in_unit(row_values<Tile, Load>& row, index_t length, float least, const Find& find,
                                       const Again& again)
{
    using target = typename Tile::target;
    const greater_number<target> greater{};
    row_squares of{0, row_unit(1.0f)};
    // A loop has the code once. Compilers lose registers where the elements of two ways meet.
    TEGULA_ROLLED
    for (bool divides = false;; divides = true) {
        row.load_now();
        auto& x = row.held;
        if (divides) {
            if constexpr (target::vendor == vendor::nvidia)
                target::keep_branch();
            const float largest = Tile::combine(find_largest<Tile, 2>(x), greater);
            of.unit = row_unit(Tile::in_common(greater(largest, least)));
            for_each_register<Tile::registers>([&](auto r) { x[r] *= of.unit.inverse; });
        }
        of.squares = Tile::in_common(Tile::combine(find(x.registers), plus{}));
        if (divides || !target::any_lane(length > 0 && !fits_float(of.squares, least)))
            return of;
        again();
    }
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
            return row_moments{about + rest / count, max(multiply_add(-rest, rest / count, squares), 0.0f), unit};
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
///
/// A row that a GPU's registers hold is loaded here, and left there as the differences from the mean, measured in its unit.
TEGULA_CALLS_BACK
template <class Tile, class Load, class Again>
TEGULA_INLINE row_moments find_moments(row_values<Tile, Load>& row, index_t length, float least, const Again& again)
{
    using target = typename Tile::target;
    if constexpr (changes_row<Tile>) {
        float mean = 0;
        const row_squares of = detail::load_in_unit(
            row, length, least,
            [&](auto& x) TEGULA_INLINE_LAMBDA {
                const float sum = Tile::combine(sum_of_pairs<target>(x), plus{});
                mean = Tile::in_common(sum / static_cast<float>(length));
                subtract_from_row<Tile>(x, mean, length);
                return sum_squares_of_pairs<target>(x);
            },
            again);
        return {mean, of.squares, of.unit};
    } else {
        return detail::find_in_units<target>(
            least,
            [&](auto grows, const row_unit& unit) {
                return detail::find_moments_of_chunks<decltype(grows)::value>(row, length, unit);
            },
            again);
    }
}

/// The sum of the squares of a row; the arguments are those of find_moments. A row that a GPU's registers hold is loaded
/// here, and left there measured in its unit.
TEGULA_CALLS_BACK
template <class Tile, class Load, class Again>
TEGULA_INLINE row_squares find_squares(row_values<Tile, Load>& row, index_t length, float least, const Again& again)
{
    using target = typename Tile::target;
    if constexpr (changes_row<Tile>)
        return detail::load_in_unit(
            row, length, least, [&](auto& x) TEGULA_INLINE_LAMBDA { return sum_squares_of_pairs<target>(x); }, again);
    else
        return detail::find_in_units<target>(
            least,
            [&](auto grows, const row_unit& unit) {
                return detail::find_squares_of_chunks<decltype(grows)::value>(row, unit);
            },
            again);
}

} // namespace tegula
