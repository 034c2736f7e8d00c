#pragma once

#include <tegula/conversion/shared_staging.hpp>
#include <tegula/core/math.hpp>

namespace tegula {
namespace detail {

/// A part of the tensor index and its place in memory.
struct padded_part : index_part
{
    /// The part as one side addresses it.
    struct side
    {
        index_t run = 1;        ///< its first elements that registers count; `length`: all of them
        index_t thread = 0;     ///< least stride in the threads; 0: only registers count it
        bool registers = false; ///< registers count some of its digits
        int first = 0;          ///< its first digit on the side
        int end = 0;            ///< after its last digit
    };

    side source{};
    side destination{};
    index_t offset = 0; ///< elements in memory for the value 1

    constexpr const side& of(bool of_source) const { return of_source ? source : destination; }
    constexpr bool is_held(bool by_source) const { return of(by_source).run == length; }
    /// Whether registers count an even number of its first elements, but not all.
    constexpr bool begins_with_registers(bool of_source) const
    {
        return of(of_source).run != length && of(of_source).run % 2 == 0;
    }
    constexpr bool is_held_by_both() const { return is_held(true) && is_held(false); }
};

/// Most elements of an access of each side. Vectors shorter than registers allow conflict less now and then.
struct vector_caps
{
    index_t store = 1;
    index_t load = 1;

    constexpr index_t of(bool source) const { return source ? store : load; }
    constexpr bool operator==(const vector_caps&) const = default;
};

struct padded_layout
{
    static_vector<padded_part, held_tile::max_digits> parts; ///< the first one varies fastest in memory
    int block_parts = 0;                                     ///< this many first parts hold the vectors
    vector_caps caps;

    padded_layout() = default;
    constexpr padded_layout(const conversion_digits& both, vector_caps most) : caps(most)
    {
        for (const index_part& p : index_parts(both))
            parts.push_back({p});
        for (padded_part& part : parts) {
            part.source = side_of(both.source, part);
            part.destination = side_of(both.destination, part);
        }
    }

    static constexpr padded_part::side side_of(const held_tile& tile, const padded_part& part)
    {
        padded_part::side side;
        for (int i = 0; i < tile.digits.size(); ++i) {
            const held_digit& d = tile.digits[i];
            if (!part.contains(d))
                continue;
            side.first = side.end == 0 ? i : side.first;
            side.end = i + 1;
            side.registers = side.registers || !d.in_thread;
            if (d.in_thread && (side.thread == 0 || d.stride < side.thread))
                side.thread = d.stride;
            if (side.thread == 0)
                side.run *= d.length;
        }
        return side;
    }

    constexpr void add_to_block(int i)
    {
        const padded_part taken = parts[i];
        for (; i > block_parts; --i)
            parts[i] = parts[i - 1];
        parts[block_parts++] = taken;
    }
    /// Elements at the start of the block that registers of one side count.
    constexpr index_t run(bool source) const
    {
        index_t elements = 1;
        bool goes_on = true;
        for (int i = 0; i < block_parts && goes_on; ++i) {
            elements *= parts[i].of(source).run;
            goes_on = parts[i].is_held(source);
        }
        return elements;
    }
    /// Elements of an access of one side: the largest power of two in the run of the block, at most the cap.
    constexpr index_t vector(bool source) const { return power_of_two_divisor(run(source), caps.of(source)); }
    /// Whether each cap is `limit` or less than the vector that the run allows.
    constexpr bool needs_caps(index_t limit) const
    {
        const auto needs = [&](bool source) {
            return caps.of(source) == limit || run(source) % (2 * caps.of(source)) == 0;
        };
        return needs(true) && needs(false);
    }
    enum class order { both, source, destination, tensor };
    /// Sorts the parts after the block. Parts of lanes come first: those of both sides, then one side's, the longest first
    /// of each; one side's in its threads' order and then the other's; or all in the tensor's order. Then come parts that
    /// only waves choose, then those of registers.
    constexpr void sort(order by, index_t wave_size)
    {
        const bool source_first = by != order::destination;
        const auto key = [&](const padded_part& part) -> long_index_t {
            const index_t a = part.of(source_first).thread, b = part.of(!source_first).thread;
            const bool in_a = a > 0 && a < wave_size, in_b = b > 0 && b < wave_size;
            if (!in_a && !in_b)
                return long_index_t{1} << (a == 0 && b == 0 ? 62 : 61);
            if (by == order::both)
                return (in_a && in_b ? 0 : in_a ? long_index_t{1} << 40 : long_index_t{1} << 41) - part.length;
            return by == order::tensor ? 0 : a > 0 ? static_cast<long_index_t>(a) : (long_index_t{1} << 32) + b;
        };
        for (int i = block_parts + 1; i < parts.size(); ++i)
            for (int k = i; k > block_parts && key(parts[k]) < key(parts[k - 1]); --k) {
                const padded_part exchanged = parts[k];
                parts[k] = parts[k - 1];
                parts[k - 1] = exchanged;
            }
    }
    /// Whether the parts have the order of another layout of the pair.
    constexpr bool has_order_of(const padded_layout& other) const
    {
        for (int i = 0; i < parts.size(); ++i)
            if (parts[i].x_dim != other.parts[i].x_dim || parts[i].x_stride != other.parts[i].x_stride)
                return false;
        return true;
    }
    constexpr void set_side(staging_side& side, const held_tile& tile, bool source) const
    {
        side.offsets.count = tile.digits.size();
        for (const padded_part& part : parts)
            for (int i = part.of(source).first; i < part.of(source).end; ++i)
                side.offsets[i] = tile.digits[i].x_stride / part.x_stride * part.offset;
        side.run = longest_run(tile, side);
        side.vector = longest_vector(tile, side, caps.of(source));
    }
};

} // namespace detail
} // namespace tegula
