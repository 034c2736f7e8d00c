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
///   vector   unit vectors of registers, the elements of an access
///   bank     unit vectors that choose the bank; if the accesses of one side know half as many banks, the top one
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

    /// Span of what lanes of the phase of lane 0 differ by, without the bits of the vector.
    constexpr f2::vectors phase(const held_tile& tile, access_kind kind, index_t elements) const
    {
        f2::vectors lanes;
        f2::word taken = 0;
        for (f2::word v : vector)
            taken |= v;
        for (index_t bit = 1; bit < chip.wave_size; bit *= 2)
            lanes.push_back(lane_vector(tile, bit) & ~taken);
        const std::uint32_t together = find_bank_rule(chip, kind, static_cast<int>(elements) * slot_bits / 8).lanes[0];
        f2::vectors generators;
        std::uint32_t reached = 1;
        for (int lane = 1; lane < 32; ++lane) {
            if ((together >> lane & 1) == 0 || (reached >> lane & 1) != 0)
                continue;
            generators.push_back(f2::apply(lanes, static_cast<f2::word>(lane)));
            const std::uint32_t before = reached;
            for (int other = 0; other < 32; ++other)
                reached |= (before >> other & 1) << (other ^ lane);
        }
        return f2::independent(generators);
    }

    static constexpr f2::word lane_vector(const held_tile& tile, index_t bit)
    {
        for (int i = 0; i < tile.digits.size(); ++i)
            if (tile.digits[i].in_thread && tile.digits[i].stride == bit)
                return f2::unit(i);
        return 0;
    }

    /// Bank bits: what is left of a row of all banks when the vector is chosen.
    constexpr int bank_bits(index_t bank_bytes) const
    {
        int bits = 0;
        for (index_t b = static_cast<index_t>(slot_bits) << vector.size(); b < bank_bytes * 8; b *= 2)
            ++bits;
        return min(bits, dimension() - vector.size());
    }

    /// Chooses the segment bits: vectors of no phase first; then sums of one vector of each phase, which are in
    /// neither; then, if there is no other way, such pairs themselves.
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

    /// Chooses `count` bank bits by which lanes of the phase of the side with fewer banks do not differ.
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
                offsets[std::countr_zero(v)] = f2::unit(at++);
            }
        const f2::vectors reduced = reduce_to_units(low);
        for (const bool top : {false, true})
            for (f2::word v : reduced) {
                const int own = std::countr_zero(v & ~low);
                if (in_registers_of_both(own) != top)
                    continue;
                offsets[own] = f2::unit(at);
                for (f2::word rest = v & low; rest != 0; rest &= rest - 1) {
                    const f2::word bank = offsets[std::countr_zero(rest)];
                    if (std::countr_zero(bank) < vector.size())
                        continue;
                    offsets[own] |= bank;
                    p.swizzle.push_back({address_bit(std::countr_zero(bank)), address_bit(at)});
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

/// Registers of a side that are not registers of the other, in register order; or those of both, in source order.
constexpr f2::vectors register_vectors(const held_tile& tile, const held_tile& other, bool of_both)
{
    f2::vectors v;
    for (index_t stride = 1; stride < tile.registers; stride *= 2)
        for (int i = 0; i < tile.digits.size(); ++i)
            if (!tile.digits[i].in_thread && tile.digits[i].stride == stride && of_both == !other.digits[i].in_thread)
                v.push_back(f2::unit(i));
    return v;
}

/// Whether the XOR layout applies: all digits are bits, and those in lanes are bits of the lane number.
constexpr bool is_linear(const held_tile& tile, int wave_size)
{
    for (const held_digit& d : tile.digits)
        if (d.length != 2 || (d.in_thread && d.stride < wave_size && (d.stride & (d.stride - 1)) != 0))
            return false;
    return true;
}

/// The best layout of those vectors.
constexpr shared_staging make_xor_staging_of(const chip_info& chip, const conversion_digits& both, int slot_bits,
                                             const f2::vectors& vector)
{
    xor_layout layout{chip, both, slot_bits};
    layout.vector = vector;
    shared_staging p;
    p.by_xor = true;
    p.slot_bits = slot_bits;
    p.elements = p.chunk = index_t{1} << layout.dimension();
    const auto vector_of = [&](const held_tile& tile) {
        index_t elements = 1;
        for (f2::word v : layout.vector)
            if (tile.digits[std::countr_zero(v)].in_thread)
                break;
            else
                elements *= 2;
        return elements;
    };
    p.store.vector = vector_of(both.source);
    p.load.vector = vector_of(both.destination);
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

/// The best layout whose vectors are the common registers and `extra` more.
constexpr shared_staging make_xor_staging(const chip_info& chip, const conversion_digits& both, int slot_bits,
                                          const f2::vectors& extra)
{
    f2::vectors vector;
    for (const f2::vectors& candidates : {register_vectors(both.source, both.destination, true), extra})
        for (f2::word v : candidates)
            if ((slot_bits << (vector.size() + 1)) <= 128)
                vector.push_back(v);
    return make_xor_staging_of(chip, both, slot_bits, vector);
}

} // namespace detail

/// The XOR layout of least cost. Precondition: both sides are linear.
///
/// Vectors are the registers of both sides; more registers of one side, to a whole word or to 16 bytes, if that is
/// cheaper.
constexpr shared_staging plan_xor_staging(const chip_info& chip, const conversion_digits& both, int slot_bits)
{
    shared_staging best = detail::make_xor_staging(chip, both, slot_bits, {});
    long_index_t best_cost = staging_cost(chip, best, both);
    for (bool of_source : {true, false}) {
        f2::vectors extra = of_source ? detail::register_vectors(both.source, both.destination, false)
                                      : detail::register_vectors(both.destination, both.source, false);
        const index_t common = of_source ? best.load.vector : best.store.vector;
        for (index_t limit : {128, 32}) {
            while (!extra.empty() && (common * slot_bits << extra.size()) > limit)
                --extra.count;
            if (extra.empty())
                break;
            const shared_staging p = detail::make_xor_staging(chip, both, slot_bits, extra);
            const long_index_t cost = staging_cost(chip, p, both);
            if (cost < best_cost) {
                best = p;
                best_cost = cost;
            }
        }
    }
    return best;
}

} // namespace tegula
