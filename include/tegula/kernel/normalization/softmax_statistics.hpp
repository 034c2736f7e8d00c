#pragma once

#include <tegula/block/row_fold.hpp>
#include <tegula/block/softmax_rows.hpp>
#include <tegula/core/constants.hpp>

namespace tegula {

/// The greatest element of a row, and the sum of exp(x - greatest). If the greatest is infinite, the sum is NaN.
struct softmax_statistics
{
    float greatest;
    float sum;
};

namespace detail {

/// The sum of exp(x - base) over a lane's registers.
///
///   Replace  they become these powers
TEGULA_CALLS_BACK
template <bool Replace, class Tile>
TEGULA_INLINE float sum_powers(typename Tile::template values<float>& x, float base)
{
    using target = typename Tile::target;
    if constexpr (is_native_cpu<target> && Replace)
        return rows_of_lane<target>::exponentials(x.registers.values, Tile::registers, log2_of_e, base);
    else if constexpr (is_native_cpu<target>)
        return rows_of_lane<target>::sum_of_exponentials(x.registers.values, Tile::registers, log2_of_e, base);
    else
        return fold_registers<Tile>(0.0f, plus{}, [&](auto r) {
            const float power = exp_by_exp2<target>(x[r] - base);
            if constexpr (Replace)
                x[r] = power;
            return power;
        });
}

} // namespace detail

/// The statistics of a row whose elements past its end are -infinity. A resident row takes two sweeps, a row in chunks
/// one. Each lane has the greatest element that it has met (Milakov and Gimelshein, "Online normalizer calculation for
/// softmax", 2018).
///
///   Replace  a resident row's elements become exp(x - greatest)
template <bool Replace, class Tile, class Load>
TEGULA_INLINE softmax_statistics find_softmax_statistics(row_values<Tile, Load>& row)
{
    using target = typename Tile::target;
    const greater_number<target> greater{};
    float greatest = -internal::infinity, sum = 0;
    if constexpr (Tile::resident) {
        row.sweep([&](auto& x, index_t) { greatest = find_greatest<Tile>(x); });
        greatest = Tile::combine(greatest, greater);
        row.sweep([&](auto& x, index_t) { sum = detail::sum_powers<Replace, Tile>(x, greatest); });
    } else {
        row.sweep([&](auto& x, index_t) {
            const float before = greatest;
            greatest = greater(before, find_greatest<Tile>(x));
            const float base = greatest == -internal::infinity ? 0.0f : greatest; // no difference of infinities
            sum = multiply_add(sum, exp_by_exp2<target>(before - base), detail::sum_powers<false, Tile>(x, base));
        });
        const float mine = greatest;
        greatest = Tile::combine(greatest, greater);
        sum = rounded_product(sum, exp_by_exp2<target>(mine - greatest));
    }
    return {greatest, Tile::combine(sum, plus{})};
}

} // namespace tegula
