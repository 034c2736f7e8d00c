#pragma once

#include <tegula/block/lane_rows.hpp>
#include <tegula/block/row_tile.hpp>
#include <tegula/core/rounding.hpp>

/// Reductions over the registers in which a lane holds its part of a row.

namespace tegula {

/// Partial results that a lane keeps side by side while it reduces its registers: on a CPU as many as vectorize the
/// loop, on a GPU `Chains`.
template <class Tile, int Chains>
inline constexpr int fold_width = Tile::target::wave_size != 1 ? Chains
                                  : Tile::registers % 32 == 0  ? 32
                                  : Tile::registers % 16 == 0  ? 16
                                                               : Chains;

namespace detail {

/// Two numbers whose product is part of a sum, and the addition of one: a multiply-add.
struct product
{
    float x, y;
};
struct plus_product : plus
{
    using plus::operator();
    TEGULA_INLINE float operator()(float sum, const product& p) const { return multiply_add(p.x, p.y, sum); }
};

/// op over these partial results.
TEGULA_CALLS_BACK
template <int Width, class Op>
TEGULA_INLINE float join_parts(float (&parts)[Width], const Op& op)
{
    static_for<Width == 32   ? 5
               : Width == 16 ? 4
                             : Width - 1>([&](auto step) {
        constexpr int half = Width >> (step + 1);
        for (int j = 0; j < half; ++j)
            parts[j] = op(parts[j], parts[j + half]);
    });
    return parts[0];
}

} // namespace detail

/// op over `start` and f(0) ... f(registers - 1), in an order that depends on the target alone.
///
///   Chains  1 or 2: what a GPU keeps side by side; pairs of registers take turns
///   start   the neutral element of op
///   op      op(part, f(r)), and of two parts
TEGULA_CALLS_BACK
template <class Tile, int Chains = 1, class Op, class F>
TEGULA_INLINE float fold_registers(float start, const Op& op, const F& f)
{
    constexpr int width = fold_width<Tile, Chains>;
    float parts[width];
    for (float& part : parts)
        part = start;
    if constexpr (width == Chains) {
        for_each_register<Tile::registers>([&](auto r) { parts[r / 2 % Chains] = op(parts[r / 2 % Chains], f(r)); });
    } else {
        for (int r = 0; r < Tile::registers; r += width)
            for (int j = 0; j < width; ++j)
                parts[j] = op(parts[j], f(r + j));
    }
    return detail::join_parts(parts, op);
}

/// The sum of f(register, mean), products, over a lane's elements of the chunk at column `first`. In vectors past the row's end
/// `mean` is 0, so that zeros stay zeros; this takes one selection a vector.
TEGULA_CALLS_BACK
template <class Tile, int Chains = 1, class F>
TEGULA_INLINE float sum_with_mean(index_t first, index_t length, float mean, const F& f)
{
    const index_t column = first + Tile::column_of_lane();
    if constexpr (fold_width<Tile, Chains> != Chains) {
        if (first + Tile::columns <= length)
            return fold_registers<Tile, Chains>(0.0f, detail::plus_product{}, [&](int r) { return f(r, mean); });
        return fold_registers<Tile, Chains>(0.0f, detail::plus_product{},
                                            [&](int r) { return f(r, column + r < length ? mean : 0.0f); });
    } else {
        float parts[Chains] = {};
        for_each_register<Tile::passes>([&](auto pass) {
            const float of_vector = column + pass * Tile::pass_columns < length ? mean : 0.0f;
            for_each_register<Tile::vector>([&](auto j) {
                const auto r = pass * Tile::vector + j;
                parts[r / 2 % Chains] = detail::plus_product{}(parts[r / 2 % Chains], f(r, of_vector));
            });
        });
        return detail::join_parts(parts, plus{});
    }
}

/// The greatest number among a lane's registers, past the row's end too; NaN does not count.
template <class Tile>
TEGULA_INLINE float find_greatest(const typename Tile::template values<float>& x)
{
    using target = typename Tile::target;
    constexpr float least = -__builtin_inff();
    if constexpr (is_native_cpu<target>)
        return rows_of_lane<target>::highest(x.registers.values, Tile::registers);
    else
        return fold_registers<Tile>(least, greater_number<target>{}, [&](auto r) { return x[r]; });
}

/// The largest magnitude among a lane's registers; NaN does not count.
///
///   x  values<float>
TEGULA_CALLS_BACK
template <class Tile, int Chains = 1, class Values>
TEGULA_INLINE float find_largest(const Values& x)
{
    using target = typename Tile::target;
    if constexpr (is_native_cpu<target>)
        return rows_of_lane<target>::largest(x.registers.values, Tile::registers);
    else
        return fold_registers<Tile, Chains>(0.0f, greater_number<target>{},
                                            [&](auto r) { return __builtin_fabsf(x[r]); });
}

/// The sum of factor * x over a lane's registers, which are 0 past the row's end.
///
///   x  values<float>
template <class Tile, int Chains = 1, class Values>
TEGULA_INLINE float sum_scaled(const Values& x, float factor)
{
    using target = typename Tile::target;
    if constexpr (is_native_cpu<target>)
        return rows_of_lane<target>::sum(x.registers.values, Tile::registers, factor);
    else
        return fold_registers<Tile, Chains>(0.0f, detail::plus_product{},
                                            [&](auto r) { return detail::product{x[r], factor}; });
}

/// The sum of the squares of factor * x over a lane's registers, which are 0 past the row's end.
///
///   x  values<float>
template <class Tile, int Chains = 1, class Values>
TEGULA_INLINE float sum_own_squares(const Values& x, float factor)
{
    using target = typename Tile::target;
    if constexpr (is_native_cpu<target>)
        return rows_of_lane<target>::squares(x.registers.values, Tile::registers, factor, 0.0f);
    else
        return fold_registers<Tile, Chains>(0.0f, detail::plus_product{}, [&](auto r) {
            const float scaled = x[r] * factor;
            return detail::product{scaled, scaled};
        });
}

/// The sum of the squares of factor * x - mean over a lane's elements of the chunk at column `first`.
///
///   x  values<float>
template <class Tile, int Chains = 1, class Values>
TEGULA_INLINE float sum_squares(const Values& x, float factor, float mean, index_t first, index_t length)
{
    using target = typename Tile::target;
    if constexpr (is_native_cpu<target>)
        return rows_of_lane<target>::squares(x.registers.values, max(min(length - first, Tile::columns), index_t{}),
                                             factor, mean);
    else
        return sum_with_mean<Tile, Chains>(first, length, mean, [&](auto r, float of_vector) {
            const float difference = multiply_add(x[r], factor, -of_vector);
            return detail::product{difference, difference};
        });
}

/// The sum of a lane's numbers on a GPU, by pairs.
template <class Target, int N>
TEGULA_INLINE float sum_of_pairs(const array<float, N>& x)
{
    using pairs = float_pairs<Target>;
    return pairs::template sum<N>([&](const auto& sum, auto p)
                                      TEGULA_INLINE_LAMBDA { return pairs::add(sum, pairs::get(x, p)); });
}

/// The sum of the squares of a lane's numbers on a GPU, by pairs.
template <class Target, int N>
TEGULA_INLINE float sum_squares_of_pairs(const array<float, N>& x)
{
    using pairs = float_pairs<Target>;
    return pairs::template sum<N>([&](const auto& sum, auto p) TEGULA_INLINE_LAMBDA {
        const auto two = pairs::get(x, p);
        return pairs::multiply_add(two, two, sum);
    });
}

/// Subtracts `mean` from a lane's elements of a row that a GPU's registers hold. Those past the row's end stay 0.
template <class Tile>
TEGULA_INLINE void subtract_from_row(array<float, Tile::registers>& x, float mean, index_t length)
{
    using pairs = float_pairs<typename Tile::target>;
    if constexpr (Tile::fills_block &&
                  Tile::target::vendor == vendor::nvidia) // AMD's compiler spills where the ways meet
        if (length == Tile::columns)
            return pairs::update(x, [&](const auto& two, auto)
                                        TEGULA_INLINE_LAMBDA { return pairs::add(two, pairs::of(-mean)); });
    const index_t lane = Tile::column_of_lane();
    array<float, Tile::registers> of_register;
    for_each_register<Tile::passes>([&](auto pass) {
        const index_t rest = length - pass * Tile::pass_columns;
        const float of_vector = lane < rest ? -mean : 0.0f;
        for_each_register<Tile::vector>([&](auto j) { of_register[pass * Tile::vector + j] = of_vector; });
    });
    pairs::update(x, [&](const auto& two, auto p)
                         TEGULA_INLINE_LAMBDA { return pairs::add(two, pairs::get(of_register, p)); });
}

} // namespace tegula
