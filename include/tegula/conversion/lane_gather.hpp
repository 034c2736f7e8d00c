#pragma once

#include <tegula/conversion/conversion_digits.hpp>

namespace tegula {

/// A conversion inside waves that is no exchange. By destination: for each of its registers, one shuffle reads each
/// source register that some lane needs there, and a lane keeps its own. By source: each of its registers is read as
/// often as a lane has registers for it, whichever these are. The way with fewer shuffles is taken.
///
/// A lane reads the holder whose copy digits are its own; `inner` neighbouring threads, which lie in one wave, read
/// from one another.
struct lane_gather
{
    static constexpr int max_registers = 256; ///< registers per side

    bool possible = false;
    bool stays = true; ///< every lane reads itself
    bool by_source = false;
    index_t inner = 1;
    int shuffles = 0; ///< shuffles, of one element each
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

/// The lane of its own wave, and the register, where `thread` finds its element n of the destination.
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

/// Whether both tiles have the same digits of whole waves, and all others are digits of lanes.
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

/// Whether a thread digit of the source has in every thread the value that the thread needs. It has if it is a digit of
/// the destination in the same place, or part of one.
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

/// The most neighbouring threads of one wave whose numbers are made of whole digits of the tile.
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

/// One part of the tensor index. A thread and a register of the destination read a register of the source; the part
/// has a share in its number.
///
/// Threads and registers of the destination count only the digits of the part here. Every choice of them in one part
/// meets every choice in the others, so that the counts of parts are multiplied.
struct gathered_part
{
    static constexpr index_t max_threads = 1024; ///< threads that the destination tells apart in a part

    static_vector<held_digit, held_tile::max_digits> read; ///< digits of the source's registers in the part
    static_vector<held_digit, held_tile::max_digits> held; ///< digits of the destination's registers in the part
    index_t threads = 1;
    index_t registers = 1;
    index_t x_of_thread[max_threads]{};
    index_t x_of_held[lane_gather::max_registers]{};

    /// Loops over threads and registers are single statements: compilers limit the number of statements.
    constexpr gathered_part(const conversion_digits& both, const index_part& part)
    {
        for (const held_digit& d : both.source.digits)
            if (!d.in_thread && part.contains(d))
                read.push_back(d);
        for (const held_digit& d : both.destination.digits) {
            if (!part.contains(d))
                continue;
            if (!d.in_thread)
                held.push_back(d);
            index_t& known = d.in_thread ? threads : registers;
            index_t* const x = d.in_thread ? x_of_thread : x_of_held;
            for (index_t i = known; i < known * d.length && (!d.in_thread || i < max_threads); ++i)
                x[i] = x[i % known] + i / known * d.x_stride;
            known *= d.length;
        }
    }
    constexpr bool reads_registers() const { return !read.empty(); }
    /// The tensor index that register n of the tile contributes in the part.
    constexpr index_t x_of_register(index_t n) const
    {
        index_t x = 0;
        for (const held_digit& d : held)
            x += d.value_of(n) * d.x_stride;
        return x;
    }
    constexpr index_t source_register(index_t x) const
    {
        index_t number = 0;
        for (int i = 0; i < read.count; ++i)
            number += x / read.values[i].x_stride % read.values[i].length * read.values[i].stride;
        return number;
    }
    /// The share of the part in the number of a register of the source.
    constexpr index_t part_of(index_t source_register) const
    {
        index_t number = 0;
        for (const held_digit& d : read)
            number += d.value_of(source_register) * d.stride;
        return number;
    }

    /// The shares that threads read for the destination's register whose digits make x.
    constexpr register_set needed(index_t x) const
    {
        register_set found;
        for (index_t t = 0; t < (reads_registers() ? threads : 1); ++t)
            found.add(source_register(x_of_thread[t] + x));
        return found;
    }
    struct read_counts
    {
        int of[lane_gather::max_registers]{};
    };
    /// The most registers that one thread fills from each register of the source.
    constexpr read_counts most_reads() const
    {
        read_counts most;
        for (index_t t = 0; t < (reads_registers() ? threads : 1); ++t) {
            read_counts filled;
            for (index_t n = 0; n < registers; ++n) {
                const index_t q = source_register(x_of_thread[t] + x_of_held[n]);
                most.of[q] = ++filled.of[q] > most.of[q] ? filled.of[q] : most.of[q];
            }
        }
        return most;
    }
    /// Shuffles by destination and by source; they are equal if one side has all of the part in threads or in
    /// registers.
    struct shuffle_counts
    {
        int by_destination = 0;
        int by_source = 0;
    };
    constexpr shuffle_counts count_shuffles() const
    {
        if (threads == 1 || !reads_registers())
            return {static_cast<int>(registers), static_cast<int>(registers)};
        shuffle_counts counts;
        for (index_t n = 0; n < registers; ++n)
            counts.by_destination += needed(x_of_held[n]).size();
        if (registers == 1)
            return {counts.by_destination, counts.by_destination};
        const read_counts most = most_reads();
        for (int times : most.of)
            counts.by_source += times;
        return counts;
    }
};

} // namespace detail

/// The registers of the source that threads need for register n of the destination.
constexpr register_set registers_needed(const conversion_digits& both, index_t n)
{
    static_vector<index_t, lane_gather::max_registers> found;
    found.push_back(0);
    for (const index_part& part : index_parts(both)) {
        const detail::gathered_part p(both, part);
        if (!p.reads_registers())
            continue;
        const register_set parts = p.needed(p.x_of_register(n));
        static_vector<index_t, lane_gather::max_registers> sums;
        for (index_t q = 0; q < both.source.registers; ++q)
            for (int i = 0; parts.contains(q) && i < found.size(); ++i)
                sums.push_back(found[i] + q);
        found = sums;
    }
    register_set needed;
    for (index_t number : found)
        needed.add(number);
    return needed;
}

/// The most registers of the destination that one thread fills from each register of the source.
struct source_reads
{
    int times[lane_gather::max_registers]{};

    constexpr explicit source_reads(const conversion_digits& both)
    {
        for (int& n : times)
            n = 1;
        for (const index_part& part : index_parts(both)) {
            const detail::gathered_part p(both, part);
            const auto most = p.most_reads();
            for (index_t q = 0; q < both.source.registers; ++q)
                times[q] *= most.of[p.part_of(q)];
        }
    }
};

/// Finds from the whole map what each register needs, for sides of at most 256 registers.
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
    plan.shuffles = 1;
    int by_source = 1;
    for (const index_part& part : index_parts(both)) {
        const detail::gathered_part p(both, part);
        plan.possible &= p.threads <= detail::gathered_part::max_threads;
        if (!plan.possible)
            return plan;
        const auto counts = p.count_shuffles();
        plan.shuffles *= counts.by_destination;
        by_source *= counts.by_source;
    }
    plan.by_source = by_source < plan.shuffles;
    plan.shuffles = plan.by_source ? by_source : plan.shuffles;
    return plan;
}

} // namespace tegula
