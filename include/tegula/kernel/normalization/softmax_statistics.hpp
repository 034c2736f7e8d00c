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
        row.sweep([&](auto& x, index_t) {
            greatest = fold_registers<Tile>(greatest, greater, [&](auto r) { return x[r]; });
        });
        greatest = Tile::combine(greatest, greater);
        row.sweep([&](auto& x, index_t) {
            sum = fold_registers<Tile>(0.0f, plus{}, [&](auto r) {
                const float power = exp_by_exp2<target>(x[r] - greatest);
                if constexpr (Replace)
                    x[r] = power;
                return power;
            });
        });
    } else {
        row.sweep([&](auto& x, index_t) {
            const float before = greatest;
            greatest = fold_registers<Tile>(greatest, greater, [&](auto r) { return x[r]; });
            const float base = greatest == -internal::infinity ? 0.0f : greatest; // no difference of infinities
            const float part =
                fold_registers<Tile>(0.0f, plus{}, [&](auto r) { return exp_by_exp2<target>(x[r] - base); });
            sum = sum * exp_by_exp2<target>(before - base) + part;
        });
        const float mine = greatest;
        greatest = Tile::combine(greatest, greater);
        sum *= exp_by_exp2<target>(mine - greatest);
    }
    return {greatest, Tile::combine(sum, plus{})};
}

} // namespace tegula
