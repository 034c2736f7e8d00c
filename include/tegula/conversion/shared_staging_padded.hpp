#pragma once

#include <tegula/conversion/padded_lanes.hpp>
#include <tegula/core/math.hpp>

#include <initializer_list>

namespace tegula {

namespace detail {

/// Keeps the layout of least cost, of equal ones the one that takes less memory.
struct padded_search
{
    const chip_info& chip;
    const conversion_digits& both;
    int slot_bits;
    index_t limit;
    long_index_t most_bytes; ///< of memory, for a layout to be preferred
    long_index_t fixed;      ///< part of the cost that every layout has
    long_index_t rival;      ///< cost without shared memory; INT64_MAX: there is no such way
    padded_lanes store{chip, both.source, true, slot_bits};
    padded_lanes load{chip, both.destination, false, slot_bits};
    shared_staging best{};
    long_index_t best_cost = INT64_MAX;
    int left = 300'000; ///< statements that a compiler may still take

    // What is considered.
    index_t word = slot_bits < 32 ? 32 / slot_bits : 1; ///< in elements
    index_t widest = 1;                                 ///< vector of both sides
    long_index_t least = 0;                             ///< cost without conflicts
    int most_choices = 1;
    long_index_t goal = INT64_MAX; ///< aim() as it stands

    /// Cost of the block's vectors with the conflicts that it forces.
    constexpr long_index_t least_cost(const padded_layout& layout)
    {
        const index_t stored = layout.vector(true, limit), loaded = layout.vector(false, limit);
        return cost_without_conflicts(stored, loaded) +
               2 * (store.forced_conflicts(layout, stored, max(stored, loaded)) +
                    load.forced_conflicts(layout, loaded, max(stored, loaded)));
    }
    /// A cost worth looking for: a twelfth less than the least known.
    constexpr long_index_t aim() const
    {
        const long_index_t known = best_cost == INT64_MAX ? rival : min(rival, best_cost + fixed);
        return known == INT64_MAX ? known : known - known / 12 - fixed;
    }
    constexpr bool is_over() const { return left <= 0 && (best.elements > 0 || rival < INT64_MAX); }

    /// Looks for the offsets of the parts, with at most `width` choices for each and about so many `statements`.
    constexpr void consider(padded_layout layout, int width, int statements)
    {
        store.start(layout.vector(true, limit));
        load.start(layout.vector(false, limit));
        load.add_copies();
        widest = max(store.vector, load.vector);
        least = cost_without_conflicts(store.vector, load.vector);
        most_choices = width;
        goal = aim();
        const int others = max(0, left - statements);
        left -= others;
        place(layout, 0, 1, 1);
        left += others;
    }

private:
    constexpr long_index_t cost_without_conflicts(index_t stored, index_t loaded) const
    {
        return access_cycles(chip, both.source, access_kind::store, stored, slot_bits) +
               access_cycles(chip, both.destination, access_kind::load, loaded, slot_bits);
    }

    /// Gives part `i` and those behind it their offsets, at least `stride`. The parts before take `size` elements.
    ///
    /// Parts are padded by whole vectors and words, up to a row of all banks. A longer look also pads by vectors that are
    /// less than a word. Paddings without new conflicts come first: small ones, those to a power of two, then others. If
    /// accesses are whole words, the first part needs powers of two alone: an odd multiple of all offsets has the same
    /// conflicts.
    constexpr void place(padded_layout& layout, int i, index_t stride, index_t size)
    {
        for (; i < layout.parts.size() && !is_told_apart(layout.parts[i]); ++i) {
            padded_part& part = layout.parts[i];
            part.offset = stride;
            if (store.depends_on(part))
                left -= store.add(layout, i, INT32_MAX);
            if (load.depends_on(part))
                left -= load.add(layout, i, INT32_MAX);
            stride *= part.length;
            size += part.offset * (part.length - 1);
        }
        if (i == layout.parts.size())
            return keep_cheaper(layout, size);
        padded_part& part = layout.parts[i];
        const padded_lanes::state stored = store.now, loaded = load.now;
        const long_index_t before = stored.conflicts + loaded.conflicts;
        const bool stores = store.depends_on(part), loads = load.depends_on(part);
        const bool longer = most_choices > 2, first = !stored.differs && !loaded.differs;
        const index_t unit = max(word, widest), aligned = round_up(stride, unit);
        const int row = i < layout.block_parts ? 0 : chip.shared_banks * chip.bank_bytes * 8 / (unit * slot_bits);
        const int paddings = 1 + row + (row > 0 && widest < word && longer ? 63 : 0);
        // Conflicts that padding n adds.
        const auto take = [&](int n) {
            const long_index_t most = min<long_index_t>((goal - least - 1) / 2, INT32_MAX);
            part.offset = n == 0    ? stride
                          : n > row ? round_up(stride, widest) + (n - row) * widest
                                    : aligned + (n - 1) * unit;
            left -= 16;
            store.now = stored;
            load.now = loaded;
            if (stores)
                left -= store.add(layout, i, most - loaded.conflicts);
            if (loads && store.now.conflicts + loaded.conflicts <= most)
                left -= load.add(layout, i, most - store.now.conflicts);
            return store.now.conflicts + load.now.conflicts - before;
        };
        int choices = 0;
        const auto go_on = [&] {
            const index_t offset = part.offset;
            // The first choices must leave some to the others.
            const int others = most_choices > 2 ? left / 3 : 0;
            left -= others;
            place(layout, i + 1, offset * part.length, size + offset * (part.length - 1));
            left += others;
            ++choices;
        };
        long_index_t added[128]{}; // conflicts, by padding
        const auto may_go_on = [&] { return choices < most_choices && !is_over() && least + 2 * before < goal; };
        // Lanes that move as far round the banks, or as far the other way if banks alone are counted, conflict alike.
        const bool either_way = store.is_counted && load.is_counted && widest >= word;
        bool seen[129]{};
        const auto look_at = [&](int n) {
            int kind = n;
            if (n > 0 && n <= row) {
                const int by = (aligned / unit + n - 1) % row;
                kind = 1 + (either_way ? min(by, row - by) : by);
            }
            left -= 4;
            if (seen[kind] || (n == 1 && stride == aligned))
                return;
            seen[kind] = true;
            if ((added[n] = take(n)) == 0)
                go_on();
        };
        const int end = longer ? paddings : min(paddings, 25);
        for (int n = 0; n <= row && n < (longer ? 2 : 4) && may_go_on(); ++n)
            look_at(n);
        for (int power = 1; power < row && may_go_on(); power *= 2)
            look_at(1 + (power + row - aligned / unit % row) % row);
        if (first && row + 1 < end && may_go_on())
            look_at(row + 1);
        for (int n = 2; n < end && may_go_on() && (longer ? !first || widest < word : choices == 0); ++n)
            look_at(n);
        while (choices < most_choices) {
            int next = -1;
            for (int n = 0; n < paddings; ++n)
                if (added[n] > 0 && (next < 0 || added[n] < added[next]))
                    next = n;
            if (next < 0 || is_over() || least + 2 * (before + added[next]) >= goal)
                break;
            left -= paddings;
            take(next);
            added[next] = 0;
            go_on();
        }
        store.now = stored;
        load.now = loaded;
    }
    constexpr bool is_told_apart(const padded_part& part) const
    {
        return store.differ_in(part) || load.differ_in(part);
    }
    constexpr void keep_cheaper(const padded_layout& layout, index_t elements)
    {
        shared_staging p;
        p.slot_bits = slot_bits;
        layout.set_side(p.store, both.source, true, limit);
        layout.set_side(p.load, both.destination, false, limit);
        p.elements = p.chunk = round_up(elements, max(p.store.vector, p.load.vector));
        left -= 800;
        if (p.bytes() > most_bytes) { // it would pass in chunks
            if (best.elements == 0)
                best = p;
            return;
        }
        left -= 1600;
        const long_index_t cost = staging_cost(chip, p, both);
        if (cost < best_cost || (cost == best_cost && p.elements < best.elements)) {
            best = p;
            best_cost = cost;
            goal = aim();
        }
    }
};

/// Which part comes next in a block: the one that threads of the other side choose first, the shortest, or once one that
/// no lanes of a phase choose.
enum class block_rule { threads, length, far };

/// A block: the first registers of both sides, so many parts more that are registers of one side, and perhaps one that
/// begins with registers.
struct padded_block
{
    int common = 0;
    bool of_source = true;
    block_rule by = block_rule::threads;
    int more = 0;
    int end = -1;          ///< index of the part that ends the run; -1: none
    long_index_t cost = 0; ///< at least
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

/// The next whole part for the block by the rule; of equal ones, one that begins a run of the other side too, then one that
/// its threads choose first. -1: none.
constexpr int find_next_of_block(const padded_layout& layout, bool source, block_rule by)
{
    bool wants_far = by == block_rule::far;
    for (int i = 0; i < layout.block_parts; ++i)
        wants_far = wants_far && layout.parts[i].of(!source).thread < 32;
    const auto key = [&](const padded_part& part) {
        const padded_part::side other = part.of(!source);
        return (by == block_rule::length ? static_cast<long_index_t>(part.length) << 32 : 0) +
               (other.run % 2 == 0                ? 0
                : wants_far && other.thread >= 32 ? 1
                                                  : 1 + other.thread);
    };
    int next = -1;
    for (int i = layout.block_parts; i < layout.parts.size(); ++i) {
        const padded_part& part = layout.parts[i];
        if (part.is_held(source) && part.length % 2 == 0 && !part.is_held(!source) &&
            (next < 0 || key(part) < key(layout.parts[next])))
            next = i;
    }
    return next;
}

/// All blocks with the first `n` registers of both sides. Precondition: they are whole bytes.
constexpr void add_blocks(static_vector<padded_block, 384>& blocks, padded_search& search, const padded_layout& common,
                          int n, std::initializer_list<block_rule> rules)
{
    for (const bool source : {true, false})
        for (const block_rule by : rules) {
            padded_layout layout = common;
            layout.block_parts = n;
            bool is_new = by == block_rule::threads;
            if (source && is_new)
                blocks.push_back({n, true, by, 0, -1, search.least_cost(layout)});
            while (layout.vector(source, search.limit) < search.limit) {
                for (int i = layout.block_parts; is_new && i < layout.parts.size(); ++i) {
                    if (!layout.parts[i].begins_with_registers(source) ||
                        (!source && layout.block_parts == n && layout.parts[i].begins_with_registers(true)))
                        continue; // no run ends here, or it is the source's block already
                    padded_layout ended = layout;
                    ended.add_to_block(i);
                    blocks.push_back({n, source, by, layout.block_parts - n, i, search.least_cost(ended)});
                }
                const int next = find_next_of_block(layout, source, by);
                if (next < 0)
                    break;
                is_new = is_new || next != find_next_of_block(layout, source, block_rule::threads);
                layout.add_to_block(next);
                if (is_new)
                    blocks.push_back({n, source, by, layout.block_parts - n, -1, search.least_cost(layout)});
            }
        }
}

constexpr padded_layout make_block_layout(const padded_layout& common, const padded_block& block)
{
    padded_layout layout = common;
    layout.block_parts = block.common;
    for (int i = 0; i < block.more; ++i)
        layout.add_to_block(find_next_of_block(layout, block.of_source, block.by));
    if (block.end >= 0)
        layout.add_to_block(block.end);
    return layout;
}

} // namespace detail

/// Rows padded so that lanes find different banks: for sides whose digits are no powers of two. Elements
/// of registers stand together, at most 16 bytes.
///
/// Few of all offsets are tried, for a fixed amount of work. About 1 in 20,000 random pairs costs more than 1.1 of the best
/// layout of rows.
///
/// fixed  what every layout costs beside its accesses
/// rival  cost of the conversion without shared memory. If no layout is found that costs less, the result may have no
///        elements. INT64_MAX: there is no such way.
constexpr shared_staging plan_padded_staging(const chip_info& chip, const conversion_digits& both, int slot_bits,
                                             long_index_t fixed, long_index_t rival)
{
    using order = detail::padded_layout::order;
    const index_t limit = 128 / slot_bits;
    const detail::padded_layout common = detail::make_common_block(both, limit);
    long_index_t bits = slot_bits;
    for (const detail::padded_part& part : common.parts)
        bits *= part.length;
    const bool passes_whole = bits / 8 <= chip.shared_bytes;
    detail::padded_search search{chip,  both, slot_bits, limit, passes_whole ? chip.shared_bytes : INT64_MAX,
                                 fixed, rival};
    static_vector<detail::padded_block, 384> blocks;
    const auto add = [&](std::initializer_list<detail::block_rule> rules) {
        for (int n = common.block_parts; n >= (slot_bits < 8 ? 1 : 0); --n)
            add_blocks(blocks, search, common, n, rules);
        for (int i = 1; i < blocks.size(); ++i)
            for (int k = i; k > 0 && blocks[k].cost < blocks[k - 1].cost; --k) {
                const detail::padded_block exchanged = blocks[k];
                blocks[k] = blocks[k - 1];
                blocks[k - 1] = exchanged;
            }
    };
    const auto look = [&](const detail::padded_block& block, int choices, int statements) {
        static_vector<detail::padded_layout, 3> looked_at;
        for (const order by : {order::source, order::destination, order::tensor}) {
            if (block.cost >= search.aim() || search.is_over())
                return;
            detail::padded_layout layout = make_block_layout(common, block);
            layout.sort(by, chip.wave_size);
            bool is_new = true;
            for (const detail::padded_layout& other : looked_at)
                is_new = is_new && !layout.has_order_of(other);
            if (!is_new)
                continue;
            looked_at.push_back(layout);
            search.consider(layout, choices, statements);
        }
    };
    // A short look at every block, then longer ones at those that may still be better.
    add({detail::block_rule::threads, detail::block_rule::length});
    for (const detail::padded_block& block : blocks)
        look(block, 2, 24'000);
    if (blocks[0].cost < search.aim() && !search.is_over())
        add({detail::block_rule::far});
    for (const detail::padded_block& block : blocks)
        if (block.by == detail::block_rule::far)
            look(block, 2, 24'000);
    for (const int choices : {16, 32})
        for (const detail::padded_block& block : blocks)
            look(block, choices, choices * 3000);
    return search.best;
}

} // namespace tegula
