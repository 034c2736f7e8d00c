#pragma once

#include <tegula/block/row_tile.hpp>

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

/// Of a row: its greatest element, and the sum of exp(x - greatest). Where the greatest is infinite, the sum is NaN.
struct softmax_statistics
{
    float greatest;
    float sum;
};

/// The statistics of a row whose elements past its end are -infinity: in two sweeps of a resident row, in one of a row in
/// chunks, each lane with the greatest element that it has met (Milakov and Gimelshein, "Online normalizer calculation
/// for softmax", 2018).
///
///   Replace  a resident row's elements become exp(x - greatest)
template <bool Replace, class Tile, class Load>
TEGULA_INLINE softmax_statistics find_softmax_statistics(row_values<Tile, Load>& row)
{
    using target = typename Tile::target;
    constexpr int registers = Tile::registers;
    const greater_number<target> greater{};
    float greatest = -detail::row_infinity, sum = 0;
    if constexpr (Tile::resident) {
        row.sweep([&](auto& x, index_t) {
            for_each_register<registers>([&](auto r) { greatest = greater(greatest, x[r]); });
        });
        greatest = Tile::combine(greatest, greater);
        row.sweep([&](auto& x, index_t) {
            for_each_register<registers>([&](auto r) {
                const float power = detail::exp_by_exp2<target>(x[r] - greatest);
                sum += power;
                if constexpr (Replace)
                    x[r] = power;
            });
        });
    } else {
        row.sweep([&](auto& x, index_t) {
            const float before = greatest;
            for_each_register<registers>([&](auto r) { greatest = greater(greatest, x[r]); });
            const float base = greatest == -detail::row_infinity ? 0.0f : greatest; // no difference of infinities
            float part = 0;
            for_each_register<registers>([&](auto r) { part += detail::exp_by_exp2<target>(x[r] - base); });
            sum = sum * detail::exp_by_exp2<target>(before - base) + part;
        });
        const float mine = greatest;
        greatest = Tile::combine(greatest, greater);
        sum *= detail::exp_by_exp2<target>(mine - greatest);
    }
    return {greatest, Tile::combine(sum, plus{})};
}

} // namespace tegula
