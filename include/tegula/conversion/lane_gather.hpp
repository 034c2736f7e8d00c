#pragma once

#include <tegula/conversion/conversion_digits.hpp>

namespace tegula {

/// A conversion inside waves that is no exchange. By destination: each register of it reads, by one shuffle each,
/// every register of the source that some lane needs there, and keeps its own. By source: each register of it is read
/// as often as a lane has registers for it, whichever these are. The way of fewer shuffles is taken.
///
/// A lane reads the holder whose copy digits are its own; `inner` neighbouring threads, which lie in one wave, read
/// from one another.
struct lane_gather
{
    static constexpr int max_registers = 256; ///< of each side

    bool possible = false;
    bool stays = true; ///< every lane reads itself
    bool by_source = false;
    index_t inner = 1;
    int shuffles = 0; ///< lane exchanges of one element
};

/// A set of registers.
struct register_set
{
    std::uint64_t words[lane_gather::max_registers / 64]{};

    constexpr void add(index_t n) { words[n / 64] |= std::uint64_t{1} << n % 64; }
    constexpr bool contains(index_t n) const { return (words[n / 64] >> n % 64 & 1) != 0; }
    constexpr int size() const
    {
        int count = 0;
        for (std::uint64_t word : words)
            count += __builtin_popcountll(word);
        return count;
    }
};

/// A lane and a register of it.
struct lane_register
{
    index_t lane = 0;
    index_t number = 0;
};

/// Where `thread` finds its element n of the destination: a lane of its own wave.
constexpr lane_register find_in_wave(const conversion_digits& both, const lane_gather& plan, int wave_size,
                                     index_t thread, index_t n)
{
    index_t x[encoding_value::max_x]{};
    for (const held_digit& d : both.destination.digits)
        x[d.x_dim] += d.value_of(d.in_thread ? thread : n) * d.x_stride;
    lane_register from{thread % wave_size / plan.inner * plan.inner};
    for (const held_digit& d : both.source.digits) {
        const index_t value = d.value_at(x[d.x_dim]);
        if (!d.in_thread)
            from.number += value * d.stride;
        else if (d.end() <= plan.inner)
            from.lane += value * d.stride;
    }
    for (const copy_digit& c : both.source.copies)
        if (c.stride * c.length <= plan.inner)
            from.lane += thread / c.stride % c.length * c.stride;
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

/// Whether a thread digit of the source has, in every thread, the value that the thread needs: it is a digit of the
/// destination in the same place, or part of one.
constexpr bool stays_in_place(const held_tile& destination, const held_digit& s)
{
    for (const held_digit& d : destination.digits) {
        if (!d.in_thread || d.x_dim != s.x_dim || s.x_stride % d.x_stride != 0 || s.stride % d.stride != 0)
            continue;
        const index_t skipped = s.stride / d.stride;
        if (s.x_stride / d.x_stride == skipped && d.length % (skipped * s.length) == 0)
            return true;
    }
    return false;
}

/// Most neighbouring threads of one wave that digits of the tile number by themselves.
constexpr index_t threads_numbered_alone(const held_tile& tile, int wave_size)
{
    index_t inner = 1;
    for (bool grown = true; grown;) {
        grown = false;
        const auto grow = [&](index_t stride, index_t length) {
            if (stride == inner && length > 1 && wave_size % (inner * length) == 0) {
                inner *= length;
                grown = true;
            }
        };
        for (const held_digit& d : tile.digits)
            if (d.in_thread)
                grow(d.stride, d.length);
        for (const copy_digit& c : tile.copies)
            grow(c.stride, c.length);
    }
    return inner;
}

/// One dimension of a conversion: the part of the source's register number that a thread and a register of the
/// destination find there.
struct gathered_dimension
{
    const conversion_digits& both;
    int dim;
    index_t threads = 1; ///< different ones, as far as the dimension knows

    constexpr gathered_dimension(const conversion_digits& sides, int x_dim) : both(sides), dim(x_dim)
    {
        for (const held_digit& d : both.destination.digits)
            threads *= d.x_dim == dim && d.in_thread ? d.length : 1;
    }
    constexpr index_t part(index_t thread, index_t n) const
    {
        index_t x = 0;
        for (const held_digit& d : both.destination.digits) {
            if (d.x_dim != dim)
                continue;
            x += (d.in_thread ? thread % d.length : d.value_of(n)) * d.x_stride;
            thread /= d.in_thread ? d.length : 1;
        }
        return part_of(x);
    }
    /// The part of the result that the coordinate x contributes.
    constexpr index_t part_of(index_t x) const
    {
        index_t number = 0;
        for (const held_digit& d : both.source.digits)
            if (d.x_dim == dim && !d.in_thread)
                number += d.value_at(x) * d.stride;
        return number;
    }
};

constexpr int dimensions_of(const conversion_digits& both)
{
    int dims = 0;
    for (const held_digit& d : both.source.digits)
        dims = d.x_dim >= dims ? d.x_dim + 1 : dims;
    return dims;
}

} // namespace detail

/// The registers of the source that threads need for register n of the destination. Threads combine what dimensions
/// say in every way.
constexpr register_set registers_needed(const conversion_digits& both, index_t n)
{
    static_vector<index_t, lane_gather::max_registers> found;
    found.push_back(0);
    for (int dim = 0; dim < detail::dimensions_of(both); ++dim) {
        const detail::gathered_dimension d(both, dim);
        register_set parts;
        static_vector<index_t, lane_gather::max_registers> sums;
        for (index_t t = 0; t < d.threads; ++t) {
            const index_t part = d.part(t, n);
            for (int i = 0; !parts.contains(part) && i < found.size(); ++i)
                sums.push_back(found[i] + part);
            parts.add(part);
        }
        found = sums;
    }
    register_set needed;
    for (index_t number : found)
        needed.add(number);
    return needed;
}

/// How many registers of the destination one thread fills from each register of the source, at most.
struct source_reads
{
    int times[lane_gather::max_registers]{};

    constexpr explicit source_reads(const conversion_digits& both)
    {
        for (int& n : times)
            n = 1;
        for (int dim = 0; dim < detail::dimensions_of(both); ++dim)
            multiply(both, dim);
    }

private:
    constexpr void multiply(const conversion_digits& both, int dim)
    {
        const detail::gathered_dimension d(both, dim);
        int most[lane_gather::max_registers]{};
        for (index_t t = 0; t < d.threads; ++t) {
            int filled[lane_gather::max_registers]{};
            for (index_t n = 0; n < both.destination.registers; ++n)
                if (is_alone(both, dim, n)) {
                    const index_t part = d.part(t, n);
                    most[part] = ++filled[part] > most[part] ? filled[part] : most[part];
                }
        }
        for (index_t q = 0; q < both.source.registers; ++q) {
            index_t part = 0;
            for (const held_digit& s : both.source.digits)
                if (s.x_dim == dim && !s.in_thread)
                    part += s.value_of(q) * s.stride;
            times[q] *= most[part];
        }
    }
    /// Whether only digits of this dimension are in the number.
    static constexpr bool is_alone(const conversion_digits& both, int dim, index_t n)
    {
        for (const held_digit& d : both.destination.digits)
            if (!d.in_thread && d.x_dim != dim && d.value_of(n) != 0)
                return false;
        return true;
    }
};

/// Tells from the whole map what each register needs; sides of at most 256 registers.
constexpr lane_gather plan_lane_gather(const conversion_digits& both, int wave_size)
{
    lane_gather plan;
    if (both.source.registers > lane_gather::max_registers || both.destination.registers > lane_gather::max_registers)
        return plan;
    plan.inner = detail::threads_numbered_alone(both.source, wave_size);
    for (const held_digit& s : both.source.digits) {
        if (!s.in_thread || detail::stays_in_place(both.destination, s))
            continue;
        plan.stays = false;
        if (s.end() > plan.inner)
            return plan;
    }
    plan.possible = true;
    if (plan.stays)
        return plan;
    for (index_t n = 0; n < both.destination.registers; ++n)
        plan.shuffles += registers_needed(both, n).size();
    const source_reads reads(both);
    int by_source = 0;
    for (index_t q = 0; q < both.source.registers; ++q)
        by_source += reads.times[q];
    plan.by_source = by_source < plan.shuffles;
    plan.shuffles = plan.by_source ? by_source : plan.shuffles;
    return plan;
}

} // namespace tegula
