#pragma once

#include <tegula/conversion/padded_layout.hpp>
#include <tegula/core/math.hpp>

namespace tegula {

namespace detail {

/// How many lanes need each group of banks, bit by bit. There are 8, 16 or 32 groups; fewer are repeated up to 32.
struct group_counts
{
    std::uint32_t bits[6]{}; ///< word i: bit i of the counts of all groups
    int size = 1;            ///< bits in use

    /// Adds the counts of lanes whose groups lie `by` groups further, cyclically.
    constexpr void add_moved(const group_counts& lanes, int by)
    {
        std::uint32_t carry = 0;
        for (int i = 0; i < size; ++i) {
            const std::uint32_t more = lanes.bits[i] << by | lanes.bits[i] >> 1 >> (31 - by), one = bits[i] ^ more;
            const std::uint32_t next = (bits[i] & more) | (one & carry);
            bits[i] = one ^ carry;
            carry = next;
        }
        if (carry != 0)
            bits[size++] = carry;
    }
    constexpr int largest() const
    {
        std::uint32_t groups = ~std::uint32_t{0};
        int most = 0;
        for (int i = size - 1; i >= 0; --i)
            if ((groups & bits[i]) != 0) {
                groups &= bits[i];
                most += 1 << i;
            }
        return most;
    }
};

/// The lanes of the first wave on one side and their conflicts, part by part: only lanes that differ in parts with an
/// offset. Phases that repeat the first one, or the first two, are left out.
struct padded_lanes
{
    /// The lanes, banks and registers of the parts that have an offset; lane 0 alone before the first one.
    struct state
    {
        long_index_t conflicts = 0;
        std::uint64_t lanes = 1;  ///< lanes that differ, if they are looked at
        int listed = 0;           ///< parts whose lanes are looked at, if not all need it
        group_counts counts[4]{}; ///< lanes of the phase, if none is looked at; by place in a word
        int places[8]{1};         ///< registers by their place in a word, in elements; whole vectors start an access
        bool differs = false;
    };

    const chip_info& chip;
    const held_tile& tile;
    bool of_source;
    int slot_bits;
    index_t vector = 1;
    bank_rule rule{};
    int end = 0;            ///< one past the last lane that is looked at
    long_index_t times = 1; ///< factor from their conflicts to those of all accesses
    state now{};
    index_t at[64]{};          ///< address of each lane, in bytes
    bool is_alike = false;     ///< all waves are alike
    bool is_counted = false;   ///< a phase is neighbouring lanes in all waves: only banks are counted
    bool shares_words = false; ///< lanes need not be told apart by their words
    int place_bytes = 4;       ///< bytes from one place of accesses in a word to the next
    int unit = 4;              ///< bytes that one group of banks gives: an access, or the word that it lies in
    int groups = 32;           ///< groups of banks

    constexpr int bytes() const { return static_cast<int>(vector) * slot_bits / 8; }

    /// Lane 0 alone, with accesses of that many elements.
    constexpr void start(index_t elements)
    {
        vector = elements;
        now = {};
        unit = max(4, bytes());
        place_bytes = min(4, bytes());
        rule = find_bank_rule(chip, of_source ? access_kind::store : access_kind::load, bytes());
        groups = rule.banks * chip.bank_bytes / unit;
        for (group_counts& counts : now.counts)
            counts.bits[0] = groups == 8 ? 0x01010101 : groups == 16 ? 0x00010001 : 1;
        end = chip.wave_size;
        times = tile.registers / vector;
        const std::uint32_t first = rule.lanes[0];
        is_alike = waves_are_alike(tile, chip.wave_size);
        const bool has_neighbours = (first & (first + 1)) == 0;
        is_counted = is_alike && has_neighbours;
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
    /// Adds the lanes that read what lane 0 reads. Copies among neighbours read in one phase and need no further word.
    constexpr void add_copies()
    {
        if (of_source || is_counted)
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
    /// Whether lanes that differ in the part, or its registers, differ by whole words.
    constexpr bool is_of_words(const padded_part& part, bool registers) const
    {
        for (int k = part.of(of_source).first; k < part.of(of_source).end; ++k)
            if ((registers ? !tile.digits[k].in_thread : tile.digits[k].in_thread && tile.digits[k].stride < end) &&
                tile.digits[k].x_stride / part.x_stride * part.offset * slot_bits % 32 != 0)
                return false;
        return true;
    }
    /// Adds the lanes that differ in the part. Returns its work, as the functions below do: about the statements that a
    /// compiler counts. To it an iteration of a loop over lanes is a single statement.
    constexpr int add_lanes(const padded_part& part, index_t offset)
    {
        const std::uint64_t all = ~std::uint64_t{0} >> (64 - end);
        int work = 8;
        for (int i = part.of(of_source).first; i < part.of(of_source).end; ++i) {
            const held_digit& d = tile.digits[i];
            work += 4;
            if (!d.in_thread || d.stride >= end)
                continue;
            const index_t step = d.x_stride / part.x_stride * offset * slot_bits / 8;
            const std::uint64_t before = now.lanes;
            for (index_t value = 1; value < d.length && value * d.stride < end; ++value) {
                const int up = value * d.stride;
                for (std::uint64_t left = before & all >> up; left != 0; left &= left - 1)
                    at[__builtin_ctzll(left) + up] = at[__builtin_ctzll(left)] + value * step;
                now.lanes |= before << up & all;
                work += 5;
            }
        }
        return work + __builtin_popcountll(now.lanes);
    }
    /// Adds the registers of the part: each of their values moves all places in a word.
    constexpr int add_registers(const padded_part& part)
    {
        const int slots = 32 / slot_bits;
        int work = 4;
        for (int i = part.of(of_source).first; i < part.of(of_source).end; ++i) {
            const held_digit& d = tile.digits[i];
            const int step = d.x_stride / part.x_stride * part.offset % slots;
            work += 4;
            if (d.in_thread || step == 0)
                continue;
            int moved[8]{};
            for (int value = 0, by = 0; value < d.length; ++value, by = (by + step) % slots)
                for (int place = 0; place < slots; ++place)
                    moved[(place + by) % slots] += now.places[place];
            for (int place = 0; place < slots; ++place)
                now.places[place] = moved[place];
            work += (d.length + 1) * (slots + 1);
        }
        return work;
    }
    /// Calls visit(lanes that take part, lane of bit 0) for every phase.
    template <class Visit>
    constexpr void for_each_phase(Visit&& visit) const
    {
        for (int first = 0; first < end; first += 32)
            for (int phase = 0; phase < rule.phases; ++phase)
                visit(rule.lanes[phase] & static_cast<std::uint32_t>(now.lanes >> first), first);
    }
    /// Extra cycles of an access in which lanes touch whole words.
    constexpr int conflicts_of_words(std::uint32_t active, int first) const
    {
        const int size = unit, all = groups; // members cost a compiler more
        int counts[32]{}, most = 1;
        for (std::uint32_t left = active; left != 0; left &= left - 1)
            most += ++counts[at[first + __builtin_ctz(left)] / size % all] > most;
        return most - 1;
    }
    /// Extra cycles of an access, `shift` bytes further, by lanes that may share words. Words count as one if they lie
    /// 64 rows apart in one bank.
    constexpr int conflicts_of_shared_words(std::uint32_t active, int first, int shift) const
    {
        const int size = unit, all = groups;
        std::uint64_t occupied = 0;
        for (std::uint32_t left = active; left != 0; left &= left - 1)
            occupied |= std::uint64_t{1} << (at[first + __builtin_ctz(left)] + shift) / size % all;
        if (__builtin_popcountll(occupied) == __builtin_popcount(active))
            return 0;
        std::uint64_t rows[32]{};
        for (std::uint32_t left = active; left != 0; left &= left - 1)
            rows[(at[first + __builtin_ctz(left)] + shift) / size % all] |=
                std::uint64_t{1} << ((at[first + __builtin_ctz(left)] + shift) / size / all % 64);
        std::uint32_t most = 1;
        for (; occupied != 0; occupied &= occupied - 1)
            most |= 1U << (__builtin_popcountll(rows[__builtin_ctzll(occupied)]) - 1);
        return 31 - __builtin_clz(most);
    }
    /// Computes the extra cycles of all accesses from those of the registers added so far. Stops past `most`.
    constexpr int count_conflicts(long_index_t most)
    {
        const int lanes = __builtin_popcountll(now.lanes);
        int work = 16;
        long_index_t starts = 0, sum = 0;
        for (int shift = 0; shift < 4; shift += place_bytes)
            starts += now.places[shift * 8 / slot_bits];
        for (int shift = 0; shift < 4 && times * sum <= most * starts; shift += place_bytes) {
            const int accesses = now.places[shift * 8 / slot_bits];
            if (accesses == 0)
                continue;
            long_index_t extra = 0;
            for_each_phase([&](std::uint32_t active, int first) {
                extra +=
                    shares_words ? conflicts_of_shared_words(active, first, shift) : conflicts_of_words(active, first);
            });
            sum += extra * accesses;
            work += 20 + (shares_words && extra > 0 ? 3 : 1) * lanes;
        }
        now.conflicts = ceil_div(times * sum, starts);
        return work;
    }
    /// Whether the part moves accesses: by its lanes or, for accesses of less than a word, by its registers.
    constexpr bool depends_on(const padded_part& part) const
    {
        return differ_in(part) || (bytes() < 4 && part.of(of_source).registers);
    }
    /// Counts the words that the lanes touch by accesses that start `shift` bytes further. Does not count if one group
    /// has more than `most`. Returns the largest count.
    constexpr int count_words(int shift, int most, int& work)
    {
        const int size = unit, all = groups;
        group_counts& counts = now.counts[shift];
        counts = {};
        for (std::uint64_t left = now.lanes; left != 0; left &= left - 1)
            counts.bits[0] |= std::uint32_t{1} << (at[__builtin_ctzll(left)] + shift) / size % all;
        const int lanes = __builtin_popcountll(now.lanes);
        work += 10 + lanes;
        if (__builtin_popcount(counts.bits[0]) == lanes)
            return 1;
        std::uint64_t rows[32]{};
        for (std::uint64_t left = now.lanes; left != 0; left &= left - 1)
            rows[(at[__builtin_ctzll(left)] + shift) / size % all] |=
                std::uint64_t{1} << ((at[__builtin_ctzll(left)] + shift) / size / all % 64);
        std::uint32_t found = 1;
        for (std::uint32_t left = counts.bits[0]; left != 0; left &= left - 1)
            found |= std::uint32_t{1} << (__builtin_popcountll(rows[__builtin_ctz(left)]) - 1);
        const int largest = 32 - __builtin_clz(found);
        work += lanes + __builtin_popcount(counts.bits[0]);
        if (largest == 1 || largest > most)
            return largest;
        const std::uint32_t touched = counts.bits[0];
        counts = {};
        counts.size = 32 - __builtin_clz(static_cast<unsigned>(largest));
        for (int i = 0; i < counts.size; ++i)
            for (std::uint32_t left = touched; left != 0; left &= left - 1)
                counts.bits[i] |= static_cast<std::uint32_t>(__builtin_popcountll(rows[__builtin_ctz(left)]) >> i & 1)
                                  << __builtin_ctz(left);
        work += 6 + counts.size * __builtin_popcount(touched);
        return largest;
    }

    /// Adds part i and its conflicts. Lanes of one phase at whole words move together from bank to bank, so that only
    /// banks are looked at. Accesses of less than a word are counted at each place in a word where registers start one.
    /// Conflicts past `most` need not be counted.
    constexpr int add(const padded_layout& layout, int i, long_index_t most)
    {
        const padded_part& part = layout.parts[i];
        const bool differs = differ_in(part);
        const bool moves = bytes() < 4 && part.of(of_source).registers && !is_of_words(part, true);
        int work = 16;
        if (moves)
            work += add_registers(part);
        now.differs = now.differs || differs;
        if (!now.differs || !(differs || moves))
            return work;
        if (!is_counted) {
            if (differs)
                work += add_lanes(part, part.offset);
            return work + count_conflicts(most);
        }
        const bool lists = moves || (shares_words && !is_of_words(part, false));
        for (; lists && now.listed <= i; ++now.listed)
            if (differ_in(layout.parts[now.listed]))
                work += add_lanes(layout.parts[now.listed], layout.parts[now.listed].offset);
        long_index_t starts = 0, sum = 0;
        for (int shift = 0; shift < 4; shift += place_bytes)
            starts += now.places[shift * 8 / slot_bits];
        for (int shift = 0; shift < 4 && times * sum <= most * starts; shift += place_bytes) {
            const int accesses = now.places[shift * 8 / slot_bits];
            if (accesses == 0)
                continue;
            sum += accesses * ((lists ? count_words(shift,
                                                    1 + static_cast<int>(min<long_index_t>(
                                                            31, (most * starts - times * sum) / (times * accesses))),
                                                    work)
                                      : move_words(part, shift, work)) -
                               1);
        }
        now.conflicts = ceil_div(times * sum, starts);
        return work;
    }
    /// Moves the lanes by the whole words of the part. Returns the largest count.
    constexpr int move_words(const padded_part& part, int shift, int& work)
    {
        for (int i = part.of(of_source).first; i < part.of(of_source).end; ++i) {
            const held_digit& d = tile.digits[i];
            work += 2;
            if (!d.in_thread || d.stride >= end)
                continue;
            const index_t by = d.x_stride / part.x_stride * part.offset * slot_bits / 8 / unit % groups;
            const group_counts before = now.counts[shift];
            for (index_t value = 1; value < d.length && value * d.stride < end; ++value)
                now.counts[shift].add_moved(before, value * by % groups);
            work += 4 + d.length * (4 + 5 * before.size);
        }
        work += 3 + 3 * now.counts[shift].size;
        return now.counts[shift].largest();
    }
    /// Extra cycles of all accesses wherever the parts after the block are placed. If more lanes touch one piece of
    /// different widest vectors than vectors fit into a row of the banks, they need another row.
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
