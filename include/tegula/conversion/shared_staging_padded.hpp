#pragma once

#include <tegula/conversion/padded_lanes.hpp>
#include <tegula/core/math.hpp>

#include <initializer_list>

namespace tegula {

namespace detail {

/// Keeps the layout of least cost, among equal ones that of least memory.
struct padded_search
{
    const chip_info& chip;
    const conversion_digits& both;
    int slot_bits;
    index_t limit;
    long_index_t most_bytes; ///< a layout that takes more memory is kept only if there is no other
    long_index_t fixed;      ///< part of the cost that every layout has
    long_index_t rival;      ///< cost without shared memory; INT64_MAX: there is no such way
    padded_lanes store{chip, both.source, true, slot_bits};
    padded_lanes load{chip, both.destination, false, slot_bits};
    shared_staging best{};
    long_index_t best_cost = INT64_MAX;
    int left = 300'000; ///< constant-evaluated statements that the search may still take

    // These describe the layout under consideration.
    index_t word = slot_bits < 32 ? 32 / slot_bits : 1; ///< elements per word
    index_t widest = 1;                                 ///< the wider vector of both sides
    long_index_t least = 0;                             ///< cost without conflicts
    int most_choices = 1;
    bool is_cut = false;           ///< not all layouts have been looked at
    long_index_t goal = INT64_MAX; ///< a cost to stay below

    /// Cost of the block's vectors with the conflicts that it forces.
    constexpr long_index_t least_cost(const padded_layout& layout)
    {
        const index_t stored = layout.vector(true, limit), loaded = layout.vector(false, limit);
        return cost_without_conflicts(stored, loaded) +
               2 * (store.forced_conflicts(layout, stored, max(stored, loaded)) +
                    load.forced_conflicts(layout, loaded, max(stored, loaded)));
    }
    /// Cost of the block's vectors, as if no access conflicted.
    constexpr long_index_t least_of_vectors(const padded_layout& layout) const
    {
        return cost_without_conflicts(layout.vector(true, limit), layout.vector(false, limit));
    }
    /// The least cost known, without the fixed part.
    constexpr long_index_t known() const { return min(rival == INT64_MAX ? rival : rival - fixed, best_cost); }
    /// A cost worth looking for: a twelfth less than the least known.
    constexpr long_index_t aim() const
    {
        const long_index_t cost = known();
        return cost == INT64_MAX ? cost : cost - (cost + fixed) / 12;
    }
    constexpr bool is_over() const { return left <= 0 && (best.elements > 0 || rival < INT64_MAX); }

    /// Looks for the offsets of the parts, with at most `width` choices for each and about `statements` statements. A
    /// width of 0 takes all in order. Returns whether no layout of the block, in any order of its parts, costs less than
    /// the least known.
    constexpr bool consider(padded_layout layout, int width, int statements)
    {
        store.start(layout.vector(true, limit));
        load.start(layout.vector(false, limit));
        load.add_copies();
        widest = max(store.vector, load.vector);
        least = cost_without_conflicts(store.vector, load.vector);
        most_choices = width;
        goal = known();
        const int others = max(0, left - statements);
        left -= others;
        is_cut = width > 0;
        place(layout, 0, 1, 1);
        left += others;
        return !is_cut;
    }

private:
    constexpr long_index_t cost_without_conflicts(index_t stored, index_t loaded) const
    {
        return access_cycles(chip, both.source, access_kind::store, stored, slot_bits) +
               access_cycles(chip, both.destination, access_kind::load, loaded, slot_bits);
    }

    /// Gives part `i` and those after it their offsets, at least `stride`. The parts before take `size` elements.
    ///
    /// Parts are padded by whole vectors and words, up to a row of all banks. A longer look also pads by vectors that
    /// are less than a word. Paddings without new conflicts come first: small ones, those to a power of two, then
    /// others. If accesses are whole words, the first part needs powers of two alone: an odd multiple of all offsets
    /// has the same conflicts.
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
        if (most_choices == 0)
            return place_in_order(layout, i, stride, size);
        padded_part& part = layout.parts[i];
        const padded_lanes::state stored = store.now, loaded = load.now;
        const long_index_t before = stored.conflicts + loaded.conflicts;
        const bool longer = most_choices > 2, first = !stored.differs && !loaded.differs;
        const index_t unit = max(word, widest), aligned = round_up(stride, unit);
        const int row = i < layout.block_parts ? 0 : banks() * chip.bank_bytes * 8 / (unit * slot_bits);
        const int paddings =
            1 + row + (longer && widest < word && row > 0 ? row * static_cast<int>(unit / widest) - 1 : 0);
        // Conflicts that padding n adds.
        const auto take = [&](int n) {
            part.offset = n == 0    ? stride
                          : n > row ? round_up(stride, widest) + (n - row) * widest
                                    : aligned + (n - 1) * unit;
            left -= 16;
            store.now = stored;
            load.now = loaded;
            add(layout, i);
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
        long_index_t added[320]{}; // conflicts, by padding
        const auto may_go_on = [&] { return choices < most_choices && !is_over() && least + 2 * before < goal; };
        // Lanes that move equally far round the banks conflict alike; if only banks are counted, in either direction.
        const bool either_way = store.is_counted && load.is_counted && widest >= word;
        bool seen[321]{};
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
    /// As place(), for a part that lanes differ in. Tries every padding by whole vectors up to a row of all banks, the
    /// shortest first, while the conflicts so far still allow a lower cost.
    constexpr void place_in_order(padded_layout& layout, int i, index_t stride, index_t size)
    {
        padded_part& part = layout.parts[i];
        const padded_lanes::state stored = store.now, loaded = load.now;
        const bool first = !stored.differs && !loaded.differs;
        const int row = i < layout.block_parts ? 1 : banks() * chip.bank_bytes * 8 / (widest * slot_bits);
        part.offset = i < layout.block_parts ? stride : round_up(stride, widest);
        for (int n = 0; n < row && least + 2 * (stored.conflicts + loaded.conflicts) < goal;
             ++n, part.offset += widest) {
            const index_t longer = size + part.offset * (part.length - 1);
            if (is_over() || static_cast<long_index_t>(longer) * slot_bits / 8 > most_bytes) {
                is_cut = true;
                break;
            }
            const index_t by = part.offset / widest % row;
            if (first && widest >= word && n > 0 && (by & (by - 1)) != 0)
                continue; // place() says why
            store.now = stored;
            load.now = loaded;
            left -= 12;
            add(layout, i);
            if (least + 2 * (store.now.conflicts + load.now.conflicts) < goal)
                place(layout, i + 1, part.offset * part.length, longer);
        }
        store.now = stored;
        load.now = loaded;
    }
    /// Adds part i. Conflicts that reach the goal need not all be counted.
    constexpr void add(const padded_layout& layout, int i)
    {
        const padded_part& part = layout.parts[i];
        const long_index_t most = min<long_index_t>((goal - least - 1) / 2, INT32_MAX);
        if (store.depends_on(part))
            left -= store.add(layout, i, most - load.now.conflicts);
        if (load.depends_on(part) && store.now.conflicts + load.now.conflicts <= most)
            left -= load.add(layout, i, most - store.now.conflicts);
    }
    /// Banks after which accesses of both sides repeat.
    constexpr int banks() const { return max(store.rule.banks, load.rule.banks); }
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
        if (p.bytes() > most_bytes) { // it would take several chunks
            is_cut = true;
            if (best.elements == 0)
                best = p;
            return;
        }
        left -= 1600;
        const long_index_t cost = staging_cost(chip, p, both);
        if (cost < best_cost || (cost == best_cost && p.elements < best.elements)) {
            best = p;
            best_cost = cost;
            goal = known();
        }
    }
};

/// A block: the first registers of both sides, then parts that are registers of one side, and perhaps a part that
/// begins with registers.
struct padded_block
{
    int common = 0;
    static_vector<int, 6> added; ///< places of the other parts, each before it moves to the block
    long_index_t cost = 0;       ///< lower bound
    bool is_done = false;        ///< no layout costs less than the least known
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

constexpr bool is_next_of_block(const padded_part& part, bool source)
{
    return part.is_held(source) && part.length % 2 == 0 && !part.is_held(!source);
}

/// The next whole part for the block: preferably one that begins a run of the other side too, else the one with the
/// least stride in that side's threads. -1: none.
constexpr int find_next_of_block(const padded_layout& layout, bool source)
{
    const auto key = [&](const padded_part& part) {
        return part.of(!source).run % 2 == 0 ? 0 : 1 + part.of(!source).thread;
    };
    int next = -1;
    for (int i = layout.block_parts; i < layout.parts.size(); ++i)
        if (is_next_of_block(layout.parts[i], source) && (next < 0 || key(layout.parts[i]) < key(layout.parts[next])))
            next = i;
    return next;
}

using padded_blocks = static_vector<padded_block, 192>;

/// Adds the block if it may be worth a look and is not in the list.
constexpr void add_block(padded_blocks& blocks, padded_search& search, const padded_layout& layout, padded_block block)
{
    search.left -= 20;
    if (blocks.size() == padded_blocks::capacity() || search.least_of_vectors(layout) >= search.aim())
        return;
    for (const padded_block& other : blocks)
        if (other.common == block.common && other.added == block.added)
            return;
    search.left -= 100;
    block.cost = search.least_cost(layout);
    if (block.cost < search.aim())
        blocks.push_back(block);
}

/// Adds blocks that continue `from` with each part that may come next, or with that of find_next_of_block().
constexpr void add_longer_blocks(padded_blocks& blocks, padded_search& search, const padded_layout& layout,
                                 const padded_block& from, bool source, bool each)
{
    if (layout.vector(source, search.limit) == search.limit || search.is_over())
        return;
    const int next = each ? -1 : find_next_of_block(layout, source);
    for (int i = layout.block_parts; i < layout.parts.size(); ++i) {
        const padded_part& part = layout.parts[i];
        const bool is_whole = each ? is_next_of_block(part, source) : i == next;
        if (!is_whole && !part.begins_with_registers(source))
            continue;
        padded_layout longer = layout;
        longer.add_to_block(i);
        padded_block block = from;
        block.added.push_back(i);
        add_block(blocks, search, longer, block);
        if (is_whole)
            add_longer_blocks(blocks, search, longer, block, source, each);
    }
}

constexpr padded_layout make_block_layout(const padded_layout& common, const padded_block& block)
{
    padded_layout layout = common;
    layout.block_parts = block.common;
    for (int i : block.added)
        layout.add_to_block(i);
    return layout;
}

} // namespace detail

/// Rows padded so that lanes use different banks: for sides whose digits are no powers of two. Elements
/// of one lane's registers stand together, at most 16 bytes.
///
/// Few of all offsets are tried, for a fixed amount of work. About 1 in 20,000 random pairs costs more than 1.1 times
/// the best layout of rows.
///
/// fixed  cost of every layout in addition to its accesses
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
    detail::padded_blocks blocks;
    const auto add = [&](bool each) {
        for (int n = common.block_parts; n >= (slot_bits < 8 ? 1 : 0); --n) {
            const detail::padded_block block{n, {}, 0};
            const detail::padded_layout layout = make_block_layout(common, block);
            add_block(blocks, search, layout, block);
            for (const bool source : {true, false})
                add_longer_blocks(blocks, search, layout, block, source, each);
        }
    };
    const auto sort = [&](int first) {
        for (int i = first + 1; i < blocks.size(); ++i)
            for (int k = i; k > first && blocks[k].cost < blocks[k - 1].cost; --k) {
                const detail::padded_block exchanged = blocks[k];
                blocks[k] = blocks[k - 1];
                blocks[k - 1] = exchanged;
            }
    };
    const auto look = [&](detail::padded_block& block, int choices, int statements) {
        static_vector<detail::padded_layout, 3> looked_at;
        for (const order by : {order::source, order::destination, order::tensor}) {
            if (block.is_done || block.cost >= (choices == 0 ? search.known() : search.aim()) || search.is_over())
                return;
            detail::padded_layout layout = make_block_layout(common, block);
            layout.sort(by, chip.wave_size);
            bool is_new = true;
            for (const detail::padded_layout& other : looked_at)
                is_new = is_new && !layout.has_order_of(other);
            if (!is_new)
                continue;
            looked_at.push_back(layout);
            block.is_done = search.consider(layout, choices, statements);
        }
    };
    // A short search of every block, then longer ones of those that may still be better.
    add(false);
    sort(0);
    for (detail::padded_block& block : blocks)
        look(block, 2, 20'000);
    const int few = blocks.size();
    add(true);
    sort(few);
    for (int i = few; i < blocks.size(); ++i)
        look(blocks[i], 2, 20'000);
    sort(0);
    const auto look_in_order = [&](int statements) {
        for (detail::padded_block& block : blocks)
            if (blocks[0].cost < search.aim())
                look(block, 0, statements);
    };
    look_in_order(12'000);
    for (detail::padded_block& block : blocks)
        look(block, 16, 48'000);
    look_in_order(48'000);
    for (detail::padded_block& block : blocks)
        look(block, 32, INT32_MAX);
    return search.best;
}

} // namespace tegula
