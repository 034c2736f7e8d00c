#pragma once

#include <tegula/conversion/shared_staging.hpp>
#include <tegula/core/f2.hpp>
#include <tegula/core/math.hpp>

#include <initializer_list>

namespace tegula {

namespace detail {

/// The XOR layout of a tile whose digits are bits. Bit i of a vector is digit i of both sides; the address bits are
/// chosen as a basis of that space:
///
///   vector   unit vectors of registers, the elements of an access, and others that fill a word
///   bank     unit vectors that choose the bank; if the accesses of one side use half as many banks, the top one
///            is a segment to that side
///   segment  the rest. Lanes of a phase that differ by a vector of this span meet in one bank, so that it is chosen to
///            have as little as possible in common with the spans of the phases of both sides
struct xor_layout
{
    const chip_info& chip;
    const conversion_digits& both;
    int slot_bits;
    f2::vectors vector{};
    f2::vectors segment{};
    f2::vectors top_banks{};

    constexpr int dimension() const { return both.source.digits.size(); }

    /// Span of the differences between lanes in the phase of lane 0, without the bits of the vector.
    constexpr f2::vectors phase(const held_tile& tile, access_kind kind, index_t elements) const
    {
        f2::word taken = 0;
        for (f2::word v : vector)
            taken |= v;
        f2::word lanes[6]{};
        for (int i = 0; i < tile.digits.size(); ++i)
            if (tile.digits[i].in_thread && tile.digits[i].stride < chip.wave_size)
                lanes[__builtin_ctz(static_cast<unsigned>(tile.digits[i].stride))] = f2::unit(i) & ~taken;
        const std::uint32_t together = find_bank_rule(chip, kind, static_cast<int>(elements) * slot_bits / 8).lanes[0];
        f2::vectors generators;
        for (std::uint32_t reached = 1; (together & ~reached) != 0;) {
            const unsigned lane = static_cast<unsigned>(__builtin_ctz(together & ~reached));
            f2::word differs = 0;
            for (unsigned bits = lane; bits != 0; bits &= bits - 1)
                differs ^= lanes[__builtin_ctz(bits)];
            if (differs != 0)
                generators.push_back(differs);
            reached |= exchange_lanes(reached, lane);
        }
        return f2::independent(generators);
    }

    /// The set of lanes with every number XORed with `with`.
    static constexpr std::uint32_t exchange_lanes(std::uint32_t lanes, unsigned with)
    {
        constexpr std::uint32_t lower[] = {0x55555555, 0x33333333, 0x0f0f0f0f, 0x00ff00ff, 0x0000ffff};
        for (; with != 0; with &= with - 1) {
            const int bit = __builtin_ctz(with);
            lanes = (lanes & lower[bit]) << (1 << bit) | (lanes >> (1 << bit) & lower[bit]);
        }
        return lanes;
    }

    /// Elements of an access: the first bits of `vector` that are registers of the side.
    constexpr index_t vector_of(const held_tile& tile) const
    {
        index_t elements = 1;
        for (f2::word v : vector) {
            if (tile.digits[__builtin_ctzll(v)].in_thread)
                break;
            elements *= 2;
        }
        return elements;
    }

    /// Number of bank bits: those of a row of all banks that the vector leaves.
    constexpr int bank_bits(index_t bank_bytes) const
    {
        int bits = 0;
        for (index_t b = static_cast<index_t>(slot_bits) << vector.size(); b < bank_bytes * 8; b *= 2)
            ++bits;
        return min(bits, dimension() - vector.size());
    }

    /// Chooses the segment bits. Vectors of no phase come first, then sums of one vector of each phase, which are in
    /// neither phase. If these are too few, both vectors of such a sum are taken.
    constexpr void choose_segment(const f2::vectors& source, const f2::vectors& destination, int count)
    {
        const f2::vectors common = f2::intersection(source, destination);
        f2::vectors few = f2::extension(common, source);
        f2::vectors many = f2::extension(common, destination);
        if (few.size() > many.size()) {
            const f2::vectors exchanged = few;
            few = many;
            many = exchanged;
        }
        const f2::vectors outside =
            f2::complement(f2::concatenate(f2::concatenate(vector, common), f2::concatenate(few, many)), dimension());
        const int missing = count - outside.size();
        const int pairs = few.size();
        const int split = missing - pairs < 0 ? 0 : missing - pairs < pairs ? missing - pairs : pairs;
        segment = {};
        for (int i = 0; i < outside.size() && segment.size() < count; ++i)
            segment.push_back(outside[outside.size() - 1 - i]);
        for (int i = split; i < pairs && segment.size() < count; ++i)
            segment.push_back(few[i] ^ many[i]);
        for (int i = 0; i < split && segment.size() < count; ++i)
            segment.push_back(few[i]);
        for (int i = 0; i < split && segment.size() < count; ++i)
            segment.push_back(many[i]);
        for (f2::word v : f2::complement(f2::concatenate(vector, segment), dimension()))
            if (segment.size() < count)
                segment.push_back(v);
    }

    /// Chooses `count` bank bits in which lanes of one phase of the side with fewer banks do not differ.
    constexpr void choose_top_banks(const f2::vectors& fewer_banks, int count)
    {
        const f2::vectors taken = f2::concatenate(f2::concatenate(vector, segment), fewer_banks);
        for (f2::word v : f2::complement(taken, dimension()))
            if (top_banks.size() < count)
                top_banks.push_back(v);
    }

    constexpr bool in_registers_of_both(int digit) const
    {
        return !both.source.digits[digit].in_thread && !both.destination.digits[digit].in_thread;
    }

    /// Offset of every bit. A segment vector is one unit, its own address bit, plus units of banks, into which that
    /// address bit is XORed. Registers of both sides come on top, if chunks are cut.
    constexpr void lay_out(shared_staging& p) const
    {
        const int n = dimension();
        const f2::vectors banks =
            f2::concatenate(f2::complement(f2::concatenate(f2::concatenate(vector, segment), top_banks), n), top_banks);
        f2::word low = 0;
        int at = 0;
        f2::vectors offsets;
        for (int i = 0; i < n; ++i)
            offsets.push_back(0);
        for (const f2::vectors* units : {&vector, &banks})
            for (f2::word v : *units) {
                low |= v;
                offsets[__builtin_ctzll(v)] = f2::unit(at++);
            }
        const f2::vectors reduced = reduce_to_units(low);
        for (const bool top : {false, true})
            for (f2::word v : reduced) {
                const int own = __builtin_ctzll(v & ~low);
                if (in_registers_of_both(own) != top)
                    continue;
                offsets[own] = f2::unit(at);
                for (f2::word rest = v & low; rest != 0; rest &= rest - 1) {
                    const f2::word bank = offsets[__builtin_ctzll(rest)];
                    if (__builtin_ctzll(bank) < vector.size())
                        continue;
                    offsets[own] |= bank;
                    p.swizzle.push_back({address_bit(__builtin_ctzll(bank)), address_bit(at)});
                }
                ++at;
            }
        for (f2::word o : offsets) {
            p.store.offsets.push_back(static_cast<index_t>(o));
            p.load.offsets.push_back(static_cast<index_t>(o));
        }
    }

    /// The segment vectors with exactly one unit each outside `low`.
    constexpr f2::vectors reduce_to_units(f2::word low) const
    {
        f2::vectors reduced = segment;
        for (int i = 0; i < reduced.size(); ++i) {
            const f2::word pivot = (reduced[i] & ~low) & (~(reduced[i] & ~low) + 1);
            for (int k = 0; k < reduced.size(); ++k)
                if (k != i && (reduced[k] & pivot) != 0)
                    reduced[k] ^= reduced[i];
        }
        return reduced;
    }

    constexpr int address_bit(int offset_bit) const
    {
        int bits = offset_bit - 3;
        for (int w = slot_bits; w > 1; w /= 2)
            ++bits;
        return bits;
    }
};

/// Registers of both sides, in the order of the first side.
constexpr f2::vectors common_registers(const held_tile& tile, const held_tile& other)
{
    f2::vectors v;
    for (index_t stride = 1; stride < tile.registers; stride *= 2)
        for (int i = 0; i < tile.digits.size(); ++i)
            if (!tile.digits[i].in_thread && tile.digits[i].stride == stride && !other.digits[i].in_thread)
                v.push_back(f2::unit(i));
    return v;
}

/// Registers of a side that threads of the other choose, in the order of the threads: the first ones are in one phase.
constexpr f2::vectors registers_of_one(const held_tile& tile, const held_tile& other)
{
    f2::vectors v;
    for (index_t end = 0;;) {
        int next = -1;
        for (int i = 0; i < tile.digits.size(); ++i)
            if (!tile.digits[i].in_thread && other.digits[i].in_thread && other.digits[i].stride > end &&
                (next < 0 || other.digits[i].stride < other.digits[next].stride))
                next = i;
        if (next < 0)
            return v;
        v.push_back(f2::unit(next));
        end = other.digits[next].stride;
    }
}

/// Whether the XOR layout applies: all digits have length 2, and those in lanes are bits of the lane number.
constexpr bool is_linear(const held_tile& tile, int wave_size)
{
    for (const held_digit& d : tile.digits)
        if (d.length != 2 || (d.in_thread && d.stride < wave_size && (d.stride & (d.stride - 1)) != 0))
            return false;
    return true;
}

/// The best layout with the given vector bits.
constexpr shared_staging make_xor_staging_of(const chip_info& chip, const conversion_digits& both, int slot_bits,
                                             const f2::vectors& vector)
{
    xor_layout layout{chip, both, slot_bits};
    layout.vector = vector;
    shared_staging p;
    p.by_xor = true;
    p.slot_bits = slot_bits;
    p.elements = p.chunk = index_t{1} << layout.dimension();
    p.store.vector = p.store.run = layout.vector_of(both.source);
    p.load.vector = p.load.run = layout.vector_of(both.destination);
    const auto bank_bytes = [&](access_kind kind, index_t vector) {
        return find_bank_rule(chip, kind, static_cast<int>(vector) * slot_bits / 8).banks * chip.bank_bytes;
    };
    const int store_bits = layout.bank_bits(bank_bytes(access_kind::store, p.store.vector));
    const int load_bits = layout.bank_bits(bank_bytes(access_kind::load, p.load.vector));
    const f2::vectors store = layout.phase(both.source, access_kind::store, p.store.vector);
    const f2::vectors load = layout.phase(both.destination, access_kind::load, p.load.vector);
    const int most = max(store_bits, load_bits);
    layout.choose_segment(store, load, layout.dimension() - layout.vector.size() - most);
    layout.choose_top_banks(store_bits < load_bits ? store : load, 2 * most - store_bits - load_bits);
    layout.lay_out(p);
    return p;
}

/// Looks for the vectors whose layout costs least. The cost of a layout follows from dimensions of spans, so that only
/// the chosen one is laid out.
struct xor_search
{
    const chip_info& chip;
    const conversion_digits& both;
    int slot_bits;
    f2::vectors best{};
    long_index_t best_cost = INT64_MAX;

    /// Adds bits, first those that lanes of both sides choose, until a word is full: lanes of one word do not conflict.
    constexpr f2::vectors fill_word(f2::vectors vector) const
    {
        f2::word taken = 0;
        for (f2::word v : vector)
            taken |= v;
        for (const bool lanes : {true, false})
            for (int i = 0; i < both.source.digits.size() && (slot_bits << vector.size()) < 32; ++i)
                if ((taken & f2::unit(i)) == 0 &&
                    (!lanes || (both.source.digits[i].in_thread && both.destination.digits[i].in_thread))) {
                    vector.push_back(f2::unit(i));
                    taken |= f2::unit(i);
                }
        return vector;
    }
    /// Two spans have a common complement, so that each side has only the conflicts that its own dimension forces.
    constexpr long_index_t cost_of_side(const xor_layout& layout, const held_tile& tile, access_kind kind) const
    {
        const index_t vector = layout.vector_of(tile);
        const int bytes = static_cast<int>(vector) * slot_bits / 8;
        const bank_rule rule = find_bank_rule(chip, kind, bytes);
        const int crowded = layout.phase(tile, kind, vector).size() -
                            layout.bank_bits(static_cast<index_t>(rule.banks) * chip.bank_bytes);
        const long_index_t conflicts = crowded > 0 ? (long_index_t{1} << crowded) - 1 : 0;
        const int phases = rule.phases * (chip.wave_size / 32);
        return access_cycles(chip, tile, kind, vector, slot_bits) + tile.registers / vector * phases * 2 * conflicts;
    }
    constexpr void consider(const f2::vectors& vector)
    {
        xor_layout layout{chip, both, slot_bits};
        layout.vector = fill_word(vector);
        const long_index_t cost = cost_of_side(layout, both.source, access_kind::store) +
                                  cost_of_side(layout, both.destination, access_kind::load);
        if (cost < best_cost) {
            best = layout.vector;
            best_cost = cost;
        }
    }
    /// Considers the vector extended by one more of `extra` at a time, up to 16 bytes.
    constexpr void consider_wider(f2::vectors vector, const f2::vectors& extra)
    {
        for (int i = 0; i < extra.size() && (slot_bits << (vector.size() + 1)) <= 128; ++i) {
            vector.push_back(extra[i]);
            consider(vector);
        }
    }
};

} // namespace detail

/// The XOR layout of least cost. Precondition: both sides are linear.
///
/// Vectors are the registers of both sides, and more registers of one side if that is cheaper, to 16 bytes.
constexpr shared_staging plan_xor_staging(const chip_info& chip, const conversion_digits& both, int slot_bits)
{
    detail::xor_search search{chip, both, slot_bits};
    f2::vectors common = detail::common_registers(both.source, both.destination);
    while ((slot_bits << common.size()) > 128)
        --common.count;
    search.consider(common);
    search.consider_wider(common, detail::registers_of_one(both.source, both.destination));
    search.consider_wider(common, detail::registers_of_one(both.destination, both.source));
    return detail::make_xor_staging_of(chip, both, slot_bits, search.best);
}

} // namespace tegula
