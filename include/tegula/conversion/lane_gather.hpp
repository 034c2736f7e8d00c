#pragma once

#include <tegula/conversion/conversion_digits.hpp>

namespace tegula {

/// A conversion inside waves whose digits do not refine each other: each register of the destination reads, by one
/// shuffle each, every register of the source that some lane needs there, and keeps its own.
struct lane_gather
{
    bool possible = false;
    bool stays = true; ///< every lane reads itself
    int shuffles = 0;  ///< lane exchanges of one element
    int selects = 0;   ///< registers of the source that a lane must choose between, less one each
};

/// A lane and a register of it.
struct lane_register
{
    index_t lane = 0;
    index_t number = 0;
};

/// Where `lane` of a wave finds its element n of the destination. Digits of whole waves are the same on both sides.
constexpr lane_register find_in_wave(const conversion_digits& both, int wave_size, index_t lane, index_t n)
{
    index_t x[encoding_value::max_x]{};
    for (const held_digit& d : both.destination.digits)
        x[d.x_dim] += d.value_of(d.in_thread ? lane : n) * d.x_stride;
    lane_register from;
    for (const held_digit& d : both.source.digits) {
        const index_t value = d.value_at(x[d.x_dim]);
        if (!d.in_thread)
            from.number += value * d.stride;
        else if (d.stride < wave_size)
            from.lane += value * d.stride;
    }
    for (const copy_digit& c : both.source.copies)
        if (c.stride < wave_size)
            from.lane += lane / c.stride % c.length * c.stride;
    return from;
}

namespace detail {

constexpr bool has_digit(const held_tile& tile, const held_digit& wanted)
{
    for (const held_digit& d : tile.digits)
        if (d.in_thread && d.x_dim == wanted.x_dim && d.x_stride == wanted.x_stride && d.length == wanted.length &&
            d.stride == wanted.stride)
            return true;
    return false;
}

/// Whether the digits of whole waves are alike, and all others are of lanes.
constexpr bool same_waves(const held_tile& a, const held_tile& b, int wave_size)
{
    for (const held_digit& d : a.digits)
        if (d.in_thread && d.end() > wave_size && (d.stride % wave_size != 0 || !has_digit(b, d)))
            return false;
    for (const copy_digit& c : a.copies)
        if (c.stride < wave_size && wave_size % (c.stride * c.length) != 0)
            return false;
    return true;
}

} // namespace detail

/// The registers of the source that lanes of a wave need for register n of the destination, as a set of bits.
constexpr std::uint64_t registers_needed(const conversion_digits& both, int wave_size, index_t n)
{
    std::uint64_t needed = 0;
    for (index_t lane = 0; lane < wave_size; ++lane)
        needed |= std::uint64_t{1} << find_in_wave(both, wave_size, lane, n).number;
    return needed;
}

/// Tells from the whole map, lane by lane, what each register needs; sides of at most 64 registers.
constexpr lane_gather plan_lane_gather(const conversion_digits& both, int wave_size)
{
    lane_gather plan;
    if (both.source.registers > 64 || both.destination.registers > 64 ||
        !detail::same_waves(both.source, both.destination, wave_size) ||
        !detail::same_waves(both.destination, both.source, wave_size))
        return plan;
    plan.possible = true;
    for (index_t n = 0; n < both.destination.registers; ++n) {
        std::uint64_t needed = 0;
        for (index_t lane = 0; lane < wave_size; ++lane) {
            const lane_register from = find_in_wave(both, wave_size, lane, n);
            needed |= std::uint64_t{1} << from.number;
            plan.stays &= from.lane == lane;
        }
        int count = 0;
        for (; needed != 0; needed &= needed - 1)
            ++count;
        plan.shuffles += count;
        plan.selects += count - 1;
    }
    if (plan.stays)
        plan.shuffles = 0;
    return plan;
}

} // namespace tegula
