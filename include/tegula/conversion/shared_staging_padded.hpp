#pragma once

#include <tegula/conversion/shared_staging.hpp>
#include <tegula/core/math.hpp>

#include <initializer_list>

namespace tegula {

namespace detail {

/// Part of a tensor index between two places at which both sides are cut; a dimension that they cut differently is one
/// such part.
struct padded_part
{
    int x_dim = 0;
    index_t x_stride = 1;
    index_t length = 1;
    index_t source_thread = 0;      ///< stride in the threads of the source; 0: its registers
    index_t destination_thread = 0; ///< the same of the destination
    index_t offset = 0;             ///< in memory, of the value 1

    constexpr bool contains(const held_digit& d) const
    {
        return d.x_dim == x_dim && d.x_stride >= x_stride && d.x_stride < x_stride * length;
    }
};

struct padded_layout
{
    static_vector<padded_part, held_tile::max_digits> parts; ///< the first one varies fastest in memory
    index_t vector_parts = 0;                                ///< so many of them are vectors

    constexpr explicit padded_layout(const conversion_digits& both)
    {
        padded_part open;
        bool is_open = false;
        for (const held_digit& d : both.source.digits) {
            if (!is_open || open.x_dim != d.x_dim)
                open = {d.x_dim, d.x_stride, 1};
            open.length *= d.length;
            is_open = !is_cut(both.destination, d.x_dim, d.x_end());
            if (!is_open)
                parts.push_back(open);
        }
        for (padded_part& part : parts) {
            part.source_thread = thread_stride(both.source, part);
            part.destination_thread = thread_stride(both.destination, part);
        }
    }

    static constexpr bool is_cut(const held_tile& tile, int x_dim, index_t at)
    {
        for (const held_digit& d : tile.digits)
            if (d.x_dim == x_dim && d.x_end() == at)
                return true;
        return false;
    }
    static constexpr index_t thread_stride(const held_tile& tile, const padded_part& part)
    {
        index_t stride = 0;
        for (const held_digit& d : tile.digits)
            if (d.in_thread && part.contains(d) && (stride == 0 || d.stride < stride))
                stride = d.stride;
        return stride;
    }

    /// Moves part i to the end of the vector.
    constexpr void add_to_vector(int i)
    {
        const padded_part taken = parts[i];
        for (; i > vector_parts; --i)
            parts[i] = parts[i - 1];
        parts[vector_parts++] = taken;
    }
    /// Takes registers of both sides, or of one, into vectors of at most `limit` elements.
    constexpr void choose_vector(bool source, bool destination, index_t limit)
    {
        index_t elements = 1;
        for (int i = 0; i < vector_parts; ++i)
            elements *= parts[i].length;
        for (int i = static_cast<int>(vector_parts); i < parts.size(); ++i)
            if ((!source || parts[i].source_thread == 0) && (!destination || parts[i].destination_thread == 0) &&
                elements * parts[i].length <= limit && (parts[i].length & (parts[i].length - 1)) == 0) {
                elements *= parts[i].length;
                add_to_vector(i);
            }
    }
    /// Sorts what is not in vectors: threads of one side as they count, then those of the other, then registers.
    constexpr void sort(bool source_first)
    {
        const auto key = [&](const padded_part& part) {
            const index_t a = source_first ? part.source_thread : part.destination_thread;
            const index_t b = source_first ? part.destination_thread : part.source_thread;
            return a > 0 ? static_cast<long_index_t>(a) : b > 0 ? (long_index_t{1} << 32) + b : long_index_t{1} << 62;
        };
        for (int i = static_cast<int>(vector_parts) + 1; i < parts.size(); ++i)
            for (int k = i; k > vector_parts && key(parts[k]) < key(parts[k - 1]); --k) {
                const padded_part exchanged = parts[k];
                parts[k] = parts[k - 1];
                parts[k - 1] = exchanged;
            }
    }
    /// The first part that threads of one side do not choose, or the last one.
    constexpr int end_of_threads(bool source) const
    {
        int i = static_cast<int>(vector_parts);
        while (i + 1 < parts.size() && (source ? parts[i].source_thread : parts[i].destination_thread) > 0)
            ++i;
        return i;
    }
    /// Gives every part its offset; rows end before part `row_end` and are `pad` elements longer. Returns the elements
    /// of the whole tile.
    constexpr index_t set_offsets(int row_end, index_t pad)
    {
        index_t stride = 1;
        index_t last = 0;
        for (int i = 0; i < parts.size(); ++i) {
            if (i == row_end)
                stride += pad;
            parts[i].offset = stride;
            last += stride * (parts[i].length - 1);
            stride *= parts[i].length;
        }
        return last + 1;
    }
    constexpr void set_side(staging_side& side, const held_tile& tile, index_t limit) const
    {
        side.offsets = {};
        for (const held_digit& d : tile.digits)
            for (const padded_part& part : parts)
                if (part.contains(d))
                    side.offsets.push_back(d.x_stride / part.x_stride * part.offset);
        side.vector = longest_vector(tile, side, limit);
    }
};

/// Keeps the layout of least cost, of equal ones the one that takes less memory. Looks at so many at most that a
/// compiler takes them.
struct padded_search
{
    const chip_info& chip;
    const conversion_digits& both;
    int slot_bits;
    shared_staging best{};
    long_index_t best_cost = INT64_MAX;
    bool free_of_conflicts = false;
    int left = 80;

    constexpr bool is_done() const { return free_of_conflicts || left == 0; }
    constexpr void consider(const padded_layout& layout, index_t elements)
    {
        --left;
        shared_staging p;
        p.slot_bits = slot_bits;
        const index_t limit = 128 / slot_bits;
        layout.set_side(p.store, both.source, limit);
        layout.set_side(p.load, both.destination, limit);
        const index_t vector = max(p.store.vector, p.load.vector);
        p.elements = p.chunk = round_up(elements, vector);
        const long_index_t cost = staging_cost(chip, p, both);
        if (cost < best_cost || (cost == best_cost && p.elements < best.elements)) {
            best = p;
            best_cost = cost;
            free_of_conflicts = conflicts_of_first_wave(chip, p, both.source, p.store, access_kind::store) == 0 &&
                                conflicts_of_first_wave(chip, p, both.destination, p.load, access_kind::load) == 0;
        }
    }
    /// Rows of both orders, padded by up to 8 vectors: rows that threads of the first side fill, or all others.
    constexpr void consider_rows(padded_layout layout, bool others)
    {
        index_t vector = 1;
        for (int i = 0; i < layout.vector_parts; ++i)
            vector *= layout.parts[i].length;
        for (bool source_first : {true, false}) {
            layout.sort(source_first);
            const int filled = layout.end_of_threads(source_first);
            const int first = others ? static_cast<int>(layout.vector_parts) + 1 : filled;
            const int last = others ? layout.parts.size() - 1 : filled;
            for (int end = first; end <= last; ++end)
                for (index_t pad = others ? 1 : 0; pad <= 8 && !is_done(); ++pad)
                    if (!others || end != filled)
                        consider(layout, layout.set_offsets(end, pad * vector));
        }
    }
};

} // namespace detail

/// The layout of rows with the least padding that avoids bank conflicts: for sides whose digits are no powers of two.
/// What registers of both sides hold stands together, at most 16 bytes.
constexpr shared_staging plan_padded_staging(const chip_info& chip, const conversion_digits& both, int slot_bits)
{
    detail::padded_search search{chip, both, slot_bits};
    const index_t limit = 128 / slot_bits;
    detail::padded_layout common(both);
    common.choose_vector(true, true, limit);
    for (bool others : {false, true}) {
        search.consider_rows(common, others);
        for (bool source : {true, false}) {
            detail::padded_layout wider = common;
            wider.choose_vector(source, !source, limit);
            if (wider.vector_parts > common.vector_parts)
                search.consider_rows(wider, others);
        }
    }
    return search.best;
}

} // namespace tegula
