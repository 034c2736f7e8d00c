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
    /// The part as one side addresses it.
    struct side
    {
        index_t run = 1;    ///< its first elements that registers count; `length`: all
        index_t thread = 0; ///< least stride in the threads; 0: registers
    };

    int x_dim = 0;
    index_t x_stride = 1;
    index_t length = 1;
    side source{};
    side destination{};
    index_t offset = 0; ///< in memory, of the value 1

    constexpr bool contains(const held_digit& d) const
    {
        return d.x_dim == x_dim && d.x_stride >= x_stride && d.x_stride < x_stride * length;
    }
    constexpr const side& of(bool of_source) const { return of_source ? source : destination; }
    constexpr bool is_held(bool by_source) const { return of(by_source).run == length; }
    constexpr bool is_held_by_both() const { return is_held(true) && is_held(false); }
};

struct padded_layout
{
    static_vector<padded_part, held_tile::max_digits> parts; ///< the first one varies fastest in memory
    int block_parts = 0;                                     ///< so many of them hold the vectors

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
            part.source = side_of(both.source, part);
            part.destination = side_of(both.destination, part);
        }
    }

    static constexpr bool is_cut(const held_tile& tile, int x_dim, index_t at)
    {
        for (const held_digit& d : tile.digits)
            if (d.x_dim == x_dim && d.x_end() == at)
                return true;
        return false;
    }
    static constexpr padded_part::side side_of(const held_tile& tile, const padded_part& part)
    {
        padded_part::side side;
        for (const held_digit& d : tile.digits) {
            if (!part.contains(d))
                continue;
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
    /// Elements of an access of one side: the largest power of two in the run of the block, at most `limit`.
    constexpr index_t vector(bool source, index_t limit) const
    {
        index_t run = 1;
        bool goes_on = true;
        for (int i = 0; i < block_parts && goes_on; ++i) {
            run *= parts[i].of(source).run;
            goes_on = parts[i].is_held(source);
        }
        index_t vector = 1;
        while (2 * vector <= limit && run % (2 * vector) == 0)
            vector *= 2;
        return vector;
    }
    /// Sorts what is not in the block: threads of one side as they count, then those of the other, then registers.
    constexpr void sort(bool source_first)
    {
        const auto key = [&](const padded_part& part) {
            const index_t a = part.of(source_first).thread, b = part.of(!source_first).thread;
            return a > 0 ? static_cast<long_index_t>(a) : b > 0 ? (long_index_t{1} << 32) + b : long_index_t{1} << 62;
        };
        for (int i = block_parts + 1; i < parts.size(); ++i)
            for (int k = i; k > block_parts && key(parts[k]) < key(parts[k - 1]); --k) {
                const padded_part exchanged = parts[k];
                parts[k] = parts[k - 1];
                parts[k - 1] = exchanged;
            }
    }
    constexpr void set_side(staging_side& side, const held_tile& tile, index_t limit) const
    {
        side.offsets = {};
        for (const held_digit& d : tile.digits)
            for (const padded_part& part : parts)
                if (part.contains(d))
                    side.offsets.push_back(d.x_stride / part.x_stride * part.offset);
        side.run = longest_run(tile, side);
        side.vector = longest_vector(tile, side, limit);
    }
};

/// The addresses of lanes of the first wave on one side, part by part: only lanes that differ in parts with an offset.
struct padded_lanes
{
    const chip_info& chip;
    const held_tile& tile;
    access_kind kind;
    int slot_bits;
    index_t vector = 1;
    std::uint64_t lanes = 1;
    index_t at[64]{}; ///< in bytes, by lane

    /// The lanes with those that differ in the part at that offset.
    constexpr std::uint64_t with(const padded_part& part, index_t offset)
    {
        std::uint64_t all = lanes;
        for (const held_digit& d : tile.digits) {
            if (!d.in_thread || d.stride >= chip.wave_size || !part.contains(d))
                continue;
            const index_t step = d.x_stride / part.x_stride * offset * slot_bits / 8;
            const std::uint64_t before = all;
            for (index_t value = 1; value < d.length && value * d.stride < chip.wave_size; ++value)
                for (std::uint64_t left = before; left != 0; left &= left - 1) {
                    const int lane = __builtin_ctzll(left), other = lane + value * d.stride;
                    if (other >= chip.wave_size)
                        break;
                    at[other] = at[lane] + value * step;
                    all |= std::uint64_t{1} << other;
                }
        }
        return all;
    }
    constexpr bool differ_in(const padded_part& part, bool source) const
    {
        return part.of(source).thread > 0 && part.of(source).thread < chip.wave_size;
    }
    /// Extra cycles of all accesses if those lanes take part.
    constexpr long_index_t conflicts(std::uint64_t active) const
    {
        return conflict_cycles(chip, kind, static_cast<int>(vector) * slot_bits / 8, at, active) *
               static_cast<long_index_t>(tile.registers / vector);
    }
};

/// Keeps the layout of least cost, of equal ones the one that takes less memory.
struct padded_search
{
    const chip_info& chip;
    const conversion_digits& both;
    int slot_bits;
    index_t limit;
    padded_lanes store{chip, both.source, access_kind::store, slot_bits};
    padded_lanes load{chip, both.destination, access_kind::load, slot_bits};
    shared_staging best{};
    long_index_t best_cost = INT64_MAX;
    int left = 1000; ///< paddings still to be tried, so that a compiler takes them

    /// Cost of the block's vectors without conflicts.
    constexpr long_index_t least_cost(const padded_layout& layout) const
    {
        return access_cycles(chip, both.source, access_kind::store, layout.vector(true, limit), slot_bits) +
               access_cycles(chip, both.destination, access_kind::load, layout.vector(false, limit), slot_bits);
    }

    constexpr void consider(padded_layout layout)
    {
        store.vector = layout.vector(true, limit);
        load.vector = layout.vector(false, limit);
        place(layout);
    }

private:
    /// Gives every part its offset: behind the part before it, padded as little as has the fewest conflicts.
    constexpr void place(padded_layout& layout)
    {
        store.lanes = load.lanes = 1;
        const long_index_t goal = least_cost(layout);
        const index_t unit = max(slot_bits < 32 ? 32 / slot_bits : 1, max(store.vector, load.vector));
        index_t stride = 1, last = 0;
        for (int i = 0; i < layout.parts.size(); ++i) {
            padded_part& part = layout.parts[i];
            part.offset = stride;
            if (store.differ_in(part, true) || load.differ_in(part, false)) {
                const int paddings =
                    i < layout.block_parts ? 1 : 1 + chip.shared_banks * chip.bank_bytes * 8 / (unit * slot_bits);
                if (goal + 2 * pad(part, unit, paddings) >= best_cost)
                    return;
            }
            stride = part.offset * part.length;
            last += part.offset * (part.length - 1);
        }
        keep_cheaper(layout, last + 1);
    }
    /// Chooses one of the paddings and returns the conflicts that there are then: none, or to whole vectors and words and
    /// up to a row of all banks more.
    constexpr long_index_t pad(padded_part& part, index_t unit, int paddings)
    {
        const index_t stride = part.offset;
        const auto offset_of = [&](int n) { return n == 0 ? stride : round_up(stride, unit) + (n - 1) * unit; };
        long_index_t least = INT64_MAX;
        for (int n = 0; n < paddings && least > 0; ++n) {
            --left;
            const long_index_t found =
                store.conflicts(store.with(part, offset_of(n))) + load.conflicts(load.with(part, offset_of(n)));
            if (found < least) {
                least = found;
                part.offset = offset_of(n);
            }
        }
        store.lanes = store.with(part, part.offset);
        load.lanes = load.with(part, part.offset);
        return least;
    }
    constexpr void keep_cheaper(const padded_layout& layout, index_t elements)
    {
        shared_staging p;
        p.slot_bits = slot_bits;
        layout.set_side(p.store, both.source, limit);
        layout.set_side(p.load, both.destination, limit);
        p.elements = p.chunk = round_up(elements, max(p.store.vector, p.load.vector));
        const long_index_t cost = staging_cost(chip, p, both);
        if (cost < best_cost || (cost == best_cost && p.elements < best.elements)) {
            best = p;
            best_cost = cost;
        }
    }
};

/// A block: the first registers of both sides, and so many parts more that are registers of one side.
struct padded_block
{
    int common = 0;
    bool of_source = true;
    int more = 0;
    long_index_t cost = 0; ///< without conflicts
};

/// Registers of both sides in a block of at most `limit` elements, short parts first.
constexpr padded_layout make_common_block(const conversion_digits& both, index_t limit)
{
    padded_layout layout(both);
    while (layout.vector(true, limit) < limit) {
        int next = -1;
        for (int i = layout.block_parts; i < layout.parts.size(); ++i)
            if (layout.parts[i].is_held_by_both() && layout.parts[i].length % 2 == 0 &&
                (next < 0 || layout.parts[i].length < layout.parts[next].length))
                next = i;
        if (next < 0)
            break;
        layout.add_to_block(next);
    }
    return layout;
}

/// The next part for the block: one that begins a run of the other side too, then one that its threads choose first;
/// parts that end a run last. -1: none.
constexpr int find_next_of_block(const padded_layout& layout, bool source)
{
    const auto key = [&](const padded_part& part) {
        const padded_part::side other = part.of(!source);
        return (part.is_held(source) ? 0 : long_index_t{1} << 40) + (other.run % 2 == 0 ? 0 : 1 + other.thread);
    };
    int next = -1;
    for (int i = layout.block_parts; i < layout.parts.size(); ++i) {
        const padded_part& part = layout.parts[i];
        if (part.of(source).run % 2 == 0 && !part.is_held_by_both() &&
            (next < 0 || key(part) < key(layout.parts[next])))
            next = i;
    }
    return next;
}

/// All blocks with the first `n` registers of both sides. Precondition: they are whole bytes.
constexpr void add_blocks(static_vector<padded_block, 64>& blocks, const padded_search& search,
                          const padded_layout& common, int n)
{
    for (bool source : {true, false}) {
        padded_layout layout = common;
        layout.block_parts = n;
        if (source)
            blocks.push_back({n, true, 0, search.least_cost(layout)});
        for (bool ends = false; !ends && layout.vector(source, search.limit) < search.limit;) {
            const int next = find_next_of_block(layout, source);
            if (next < 0)
                break;
            ends = !layout.parts[next].is_held(source);
            layout.add_to_block(next);
            blocks.push_back({n, source, layout.block_parts - n, search.least_cost(layout)});
        }
    }
}

} // namespace detail

/// Rows padded so that lanes find different banks: for sides whose digits are no powers of two. What registers hold
/// stands together, at most 16 bytes.
constexpr shared_staging plan_padded_staging(const chip_info& chip, const conversion_digits& both, int slot_bits)
{
    const index_t limit = 128 / slot_bits;
    detail::padded_search search{chip, both, slot_bits, limit};
    const detail::padded_layout common = detail::make_common_block(both, limit);
    static_vector<detail::padded_block, 64> blocks;
    for (int n = common.block_parts; n >= (slot_bits < 8 ? 1 : 0); --n)
        add_blocks(blocks, search, common, n);
    // The cheapest block first; those that would cost more even without conflicts are not laid out.
    for (; !blocks.empty(); --blocks.count) {
        for (int i = 0; i + 1 < blocks.size(); ++i)
            if (blocks[i].cost < blocks.back().cost) {
                const detail::padded_block exchanged = blocks[i];
                blocks[i] = blocks.back();
                blocks.back() = exchanged;
            }
        const detail::padded_block block = blocks.back();
        if (block.cost >= search.best_cost)
            break;
        detail::padded_layout orders[] = {common, common, common};
        for (detail::padded_layout& layout : orders) {
            layout.block_parts = block.common;
            for (int i = 0; i < block.more; ++i)
                layout.add_to_block(find_next_of_block(layout, block.of_source));
        }
        orders[0].sort(true);
        orders[1].sort(false); // the last one is as the tensor counts
        for (const detail::padded_layout& layout : orders)
            if (block.cost < search.best_cost && (search.left > 0 || search.best.elements == 0))
                search.consider(layout);
    }
    return search.best;
}

} // namespace tegula
