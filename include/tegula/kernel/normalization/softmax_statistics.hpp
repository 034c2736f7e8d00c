#pragma once

#include <tegula/block/row_fold.hpp>

namespace tegula {

namespace detail {

inline constexpr float row_infinity = __builtin_huge_valf();

/// exp(x) by the chip's own power of two.
template <class Target>
TEGULA_INLINE float exp_by_exp2(float x)
{
    return Target::exp2(x * 1.44269504f);
}

} // namespace detail

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
    float greatest = -detail::row_infinity, sum = 0;
    if constexpr (Tile::resident) {
        row.sweep([&](auto& x, index_t) {
            greatest = fold_registers<Tile>(greatest, greater, [&](auto r) { return x[r]; });
        });
        greatest = Tile::combine(greatest, greater);
        row.sweep([&](auto& x, index_t) {
            sum = fold_registers<Tile>(0.0f, plus{}, [&](auto r) {
                const float power = detail::exp_by_exp2<target>(x[r] - greatest);
                if constexpr (Replace)
                    x[r] = power;
                return power;
            });
        });
    } else {
        row.sweep([&](auto& x, index_t) {
            const float before = greatest;
            greatest = fold_registers<Tile>(greatest, greater, [&](auto r) { return x[r]; });
            const float base = greatest == -detail::row_infinity ? 0.0f : greatest; // no difference of infinities
            const float part =
                fold_registers<Tile>(0.0f, plus{}, [&](auto r) { return detail::exp_by_exp2<target>(x[r] - base); });
            sum = sum * detail::exp_by_exp2<target>(before - base) + part;
        });
        const float mine = greatest;
        greatest = Tile::combine(greatest, greater);
        sum *= detail::exp_by_exp2<target>(mine - greatest);
    }
    return {greatest, Tile::combine(sum, plus{})};
}

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::exp_by_exp2;
using tegula::detail::row_infinity;
} // namespace tegula::internal
