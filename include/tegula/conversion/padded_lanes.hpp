#pragma once

#include <tegula/conversion/padded_layout.hpp>
#include <tegula/core/math.hpp>

namespace tegula {

namespace detail {

/// How many lanes need each group of banks, a byte each. Groups are 8, 16 or 32.
struct group_counts
{
    std::uint64_t words[4]{};

    constexpr void add_lane(std::uint32_t group) { words[group / 8] += std::uint64_t{1} << group % 8 * 8; }
    /// Adds the counts of lanes whose groups lie `by` further round.
    constexpr void add_moved(const group_counts& lanes, int by, int groups)
    {
        const int n = groups / 8, skipped = by / 8, bits = by % 8 * 8;
        for (int w = 0; w < n; ++w)
            words[w] += lanes.words[(w + n - skipped) % n] << bits |
                        lanes.words[(w + 2 * n - skipped - 1) % n] >> 1 >> (63 - bits);
    }
    /// The largest count, at least `most`.
    constexpr int largest(int most) const
    {
        constexpr std::uint64_t ones = 0x0101010101010101;
        for (std::uint64_t below = (127 - most) * ones;
             (((words[0] + below) | (words[1] + below) | (words[2] + below) | (words[3] + below)) & 128 * ones) != 0;
             below -= ones)
            ++most;
        return most;
    }
};

/// The lanes of the first wave on one side and their conflicts, part by part: only lanes that differ in parts with an
/// offset. Phases that repeat the first one, or the first two, are left out.
struct padded_lanes
{
    /// The lanes and banks of the parts that have an offset; lane 0 alone before the first one.
    struct state
    {
        long_index_t conflicts = 0;
        std::uint64_t lanes = 1;  ///< that differ, if they are looked at
        group_counts counts{{1}}; ///< of the phase, if no lane is
        bool differs = false;
        bool is_counted = false; ///< no lane is looked at
    };

    const chip_info& chip;
    const held_tile& tile;
    bool of_source;
    int slot_bits;
    index_t vector = 1;
    bank_rule rule{};
    int end = 0;            ///< of the lanes that are looked at
    long_index_t times = 1; ///< their conflicts make those of all accesses
    state now{};
    index_t at[64]{};            ///< in bytes, by lane
    bool is_alike = false;       ///< all waves
    bool has_neighbours = false; ///< in a phase
    bool shares_words = false;   ///< lanes need not be told apart by their words
    int unit = 4;                ///< bytes that one group of banks gives: an access, or the word that it lies in
    int groups = 32;             ///< of banks

    constexpr int bytes() const { return static_cast<int>(vector) * slot_bits / 8; }

    /// Lane 0 alone, with accesses of that many elements.
    constexpr void start(index_t elements)
    {
        vector = elements;
        now = {};
        unit = max(4, bytes());
        rule = find_bank_rule(chip, of_source ? access_kind::store : access_kind::load, bytes());
        groups = rule.banks * chip.bank_bytes / unit;
        end = chip.wave_size;
        times = tile.registers / vector;
        const std::uint32_t first = rule.lanes[0];
        is_alike = waves_are_alike(tile, chip.wave_size);
        has_neighbours = (first & (first + 1)) == 0;
        now.is_counted = is_alike && has_neighbours;
        shares_words = bytes() < 4;
        if (is_alike) {
            const int phases = has_neighbours ? 1 : 2; // otherwise two phases share 32 lanes
            times *= rule.phases / phases * (chip.wave_size / 32);
            end = 32 - __builtin_clz(has_neighbours ? first : first | rule.lanes[1]);
            for (const copy_digit& c : tile.copies) // only first copies are stored
                if (of_source && c.stride * c.length > end && c.stride < chip.wave_size)
                    times /= c.stride * c.length / max<index_t>(end, c.stride);
            rule.phases = phases;
        }
    }
    /// Takes in the lanes that read what lane 0 reads. Copies among neighbours read in one phase and need no word more.
    constexpr void add_copies()
    {
        if (of_source || (is_alike && has_neighbours))
            return;
        for (const copy_digit& c : tile.copies) {
            const std::uint64_t before = now.lanes;
            for (int up = c.stride; up < c.stride * c.length && up < end; up += c.stride)
                now.lanes |= before << up & ~std::uint64_t{0} >> (64 - end);
            shares_words = true;
        }
    }
    constexpr bool differ_in(const padded_part& part) const
    {
        return part.of(of_source).thread > 0 && part.of(of_source).thread < end;
    }
    /// Whether lanes that differ in the part differ by whole words.
    constexpr bool is_of_words(const padded_part& part) const
    {
        for (int k = part.of(of_source).first; k < part.of(of_source).end; ++k)
            if (tile.digits[k].in_thread && tile.digits[k].stride < end &&
                tile.digits[k].x_stride / part.x_stride * part.offset * slot_bits % 32 != 0)
                return false;
        return true;
    }
    /// Loops over lanes are single statements: compilers count these.
    constexpr void add_lanes(const padded_part& part, index_t offset)
    {
        const std::uint64_t all = ~std::uint64_t{0} >> (64 - end);
        for (int i = part.of(of_source).first; i < part.of(of_source).end; ++i) {
            const held_digit& d = tile.digits[i];
            if (!d.in_thread || d.stride >= end)
                continue;
            const index_t step = d.x_stride / part.x_stride * offset * slot_bits / 8;
            const std::uint64_t before = now.lanes;
            for (index_t value = 1; value < d.length && value * d.stride < end; ++value) {
                const int up = value * d.stride;
                for (std::uint64_t left = before & all >> up; left != 0; left &= left - 1)
                    at[__builtin_ctzll(left) + up] = at[__builtin_ctzll(left)] + value * step;
                now.lanes |= before << up & all;
            }
        }
    }
    /// visit(lanes that take part, lane of bit 0)
    template <class Visit>
    constexpr void for_each_phase(Visit&& visit) const
    {
        for (int first = 0; first < end; first += 32)
            for (int phase = 0; phase < rule.phases; ++phase)
                visit(rule.lanes[phase] & static_cast<std::uint32_t>(now.lanes >> first), first);
    }
    /// Extra cycles of all accesses. Words that lanes may share count as one if they lie 64 rows apart in one bank.
    constexpr void count_conflicts()
    {
        const int size = unit, all = groups; // members cost a compiler more
        now.conflicts = 0;
        for_each_phase([&](const std::uint32_t active, int first) {
            if (!shares_words) {
                group_counts counts;
                for (std::uint32_t left = active; left != 0; left &= left - 1)
                    counts.add_lane(at[first + __builtin_ctz(left)] / size % all);
                now.conflicts += times * (counts.largest(1) - 1);
                return;
            }
            std::uint64_t occupied = 0;
            for (std::uint32_t left = active; left != 0; left &= left - 1)
                occupied |= std::uint64_t{1} << at[first + __builtin_ctz(left)] / size % all;
            if (__builtin_popcountll(occupied) == __builtin_popcount(active))
                return;
            std::uint64_t rows[32]{};
            for (std::uint32_t left = active; left != 0; left &= left - 1)
                rows[at[first + __builtin_ctz(left)] / size % all] |=
                    std::uint64_t{1} << (at[first + __builtin_ctz(left)] / size / all % 64);
            std::uint32_t most = 1;
            for (std::uint32_t left = active; left != 0; left &= left - 1)
                most |= 1U << (__builtin_popcountll(rows[at[first + __builtin_ctz(left)] / size % all]) - 1);
            now.conflicts += times * (31 - __builtin_clz(most));
        });
    }

    /// Takes in the lanes that differ in part i, and their conflicts. Lanes of one phase at whole words move together from
    /// bank to bank, so that only banks are looked at.
    /// Returns its work in statements of a compiler.
    constexpr int add(const padded_layout& layout, int i)
    {
        const padded_part& part = layout.parts[i];
        now.differs = true;
        if (now.is_counted && shares_words && !is_of_words(part)) {
            now.is_counted = false;
            for (int k = 0; k < i; ++k)
                if (differ_in(layout.parts[k]))
                    add_lanes(layout.parts[k], layout.parts[k].offset);
        }
        if (!now.is_counted) {
            add_lanes(part, part.offset);
            count_conflicts();
            return 24 + (shares_words ? 5 : 3) * __builtin_popcountll(now.lanes);
        }
        const padded_part::side& of = of_source ? part.source : part.destination;
        int work = 16;
        for (int k = of.first; k < of.end; ++k) {
            const held_digit& d = tile.digits[k];
            work += 8;
            if (!d.in_thread || d.stride >= end)
                continue;
            work += d.length * (4 + groups / 4);
            const index_t step = d.x_stride / part.x_stride * part.offset * slot_bits / 8 / unit % groups;
            const group_counts before = now.counts;
            for (index_t value = 1; value < d.length && value * d.stride < end; ++value)
                now.counts.add_moved(before, value * step % groups, groups);
        }
        now.conflicts = times * (now.counts.largest(1 + static_cast<int>(now.conflicts / times)) - 1);
        return work;
    }
    /// Extra cycles of all accesses that no place of the parts behind the block avoids. Lanes that touch one piece of
    /// different widest vectors need another row of the banks when as many of them have passed as fit into a row.
    constexpr long_index_t forced_conflicts(const padded_layout& layout, index_t elements, index_t widest)
    {
        if (widest * slot_bits < 32)
            return 0;
        start(elements);
        index_t offset = 1;
        for (int i = 0; i < layout.parts.size(); ++i) {
            add_lanes(layout.parts[i], i < layout.block_parts ? offset : 0);
            offset *= layout.parts[i].length;
        }
        const int fit = max(1, rule.banks * chip.bank_bytes * 8 / (widest * slot_bits));
        int extra = 0;
        for_each_phase([&](const std::uint32_t active, int first) {
            int touching[16]{};
            int most = 1;
            for (std::uint32_t left = active; left != 0; left &= left - 1)
                most = max(most, ++touching[at[first + __builtin_ctz(left)] % (widest * slot_bits / 8) / bytes()]);
            extra += ceil_div(most, fit) - 1;
        });
        return extra * times;
    }
};

} // namespace detail
} // namespace tegula
