#pragma once

#include <tegula/conversion/padded_lanes.hpp>
#include <tegula/core/math.hpp>

namespace tegula {

namespace detail {

/// Where a look for offsets was interrupted, so that another constant evaluation can go on from there.
struct padded_path
{
    int choices[held_tile::max_digits]{}; ///< of each part, that have been looked at
    int rest[held_tile::max_digits]{};    ///< statements that were left to them
    int end = 0;                          ///< the last part with choices
    int statements = 0;                   ///< that are left to the look; 0: no look was interrupted
    bool is_cut = false;                  ///< padded_search::is_cut
};

/// Keeps the layout of least cost, among equal ones that of least memory.
struct padded_search
{
    const chip_info& chip;
    const conversion_digits& both;
    int slot_bits;
    long_index_t most_bytes; ///< a layout that takes more memory is kept only if there is no other
    long_index_t fixed;      ///< part of the cost that every layout has
    long_index_t rival;      ///< cost without shared memory; INT64_MAX: there is no such way
    padded_lanes store{chip, both.source, true, slot_bits};
    padded_lanes load{chip, both.destination, false, slot_bits};
    shared_staging best{};
    long_index_t best_cost = INT64_MAX;
    int left = 300'000; ///< constant-evaluated statements that this evaluation may still take
    int kept = 0;       ///< of these, for other looks and choices; less than 0: the look goes on in another evaluation
    padded_path path{};
    bool replays = false;        ///< the choices of the path, up to where it ends
    bool is_interrupted = false; ///< `path` says where

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
        const index_t stored = layout.vector(true), loaded = layout.vector(false);
        return cost_without_conflicts(stored, loaded) +
               2 * (store.forced_conflicts(layout, stored, max(stored, loaded)) +
                    load.forced_conflicts(layout, loaded, max(stored, loaded)));
    }
    /// Cost of both sides' accesses of so many elements, as if none conflicted.
    constexpr long_index_t cost_without_conflicts(index_t stored, index_t loaded) const
    {
        return access_cycles(chip, both.source, access_kind::store, stored, slot_bits) +
               access_cycles(chip, both.destination, access_kind::load, loaded, slot_bits);
    }
    /// Cost of the block's vectors, as if no access conflicted.
    constexpr long_index_t least_of_vectors(const padded_layout& layout) const
    {
        return cost_without_conflicts(layout.vector(true), layout.vector(false));
    }
    /// The least cost known, without the fixed part.
    constexpr long_index_t known() const { return min(rival == INT64_MAX ? rival : rival - fixed, best_cost); }
    /// A cost worth looking for: a twelfth less than the least known.
    constexpr long_index_t aim() const
    {
        const long_index_t cost = known();
        return cost == INT64_MAX ? cost : cost - (cost + fixed) / 12;
    }
    constexpr bool is_over() const { return left <= max(kept, 0) && (best.elements > 0 || rival < INT64_MAX); }

    /// Looks for the offsets of the parts, with at most `width` choices for each and about `statements` statements. A
    /// width of 0 takes all in order. Returns whether no layout of the block, in any order of its parts, costs less than
    /// the least known. Goes on along the path, if a look was interrupted.
    constexpr bool consider(padded_layout layout, int width, int statements)
    {
        store.start(layout.vector(true));
        load.start(layout.vector(false));
        load.add_copies();
        widest = max(store.vector, load.vector);
        least = cost_without_conflicts(store.vector, load.vector);
        most_choices = width;
        goal = known();
        replays = path.statements > 0;
        is_cut = replays ? path.is_cut : width > 0;
        kept = left - (replays ? path.statements : statements);
        place(layout, 0, 1, 1);
        path.statements = is_interrupted ? max(left - kept, 1) : 0;
        path.is_cut = is_cut;
        kept = 0;
        return !is_cut && !is_interrupted;
    }

private:
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
        const int passed = replays ? path.choices[i] : 0;
        const auto go_on = [&] {
            if (choices < passed) {
                ++choices;
                return;
            }
            find_end_of_path(i);
            const index_t offset = part.offset;
            // The first choices must leave some to the others.
            const int kept_here = kept;
            kept += most_choices > 2 ? (left - kept) / 3 : 0;
            place(layout, i + 1, offset * part.length, size + offset * (part.length - 1));
            kept = kept_here;
            choices += !is_interrupted;
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
        interrupt(i, max(choices, passed));
        store.now = stored;
        load.now = loaded;
    }
    /// Before a choice of part i that the path has not got past: what is left to it, and whether the path ends there.
    constexpr void find_end_of_path(int i)
    {
        if (!replays)
            return;
        kept = left - path.rest[i];
        replays = i < path.end;
    }
    /// Notes where part i stands, if this evaluation ends before the look.
    constexpr void interrupt(int i, int choices)
    {
        replays = false;
        if (!is_interrupted && !(is_over() && left > kept))
            return;
        path.end = is_interrupted ? path.end : i;
        path.choices[i] = choices;
        path.rest[i] = left - kept;
        is_interrupted = true;
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
        int n = replays ? path.choices[i] : 0;
        part.offset += n * widest;
        for (; n < row && least + 2 * (stored.conflicts + loaded.conflicts) < goal; ++n, part.offset += widest) {
            find_end_of_path(i);
            const index_t longer = size + part.offset * (part.length - 1);
            if (is_over() || static_cast<long_index_t>(longer) * slot_bits / 8 > most_bytes) {
                is_cut = is_cut || left <= kept || left > 0;
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
            if (is_interrupted)
                break;
            replays = false;
        }
        interrupt(i, n);
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
        layout.set_side(p.store, both.source, true);
        layout.set_side(p.load, both.destination, false);
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

} // namespace detail
} // namespace tegula
