#pragma once

#include <tegula/chip/bank_conflicts.hpp>
#include <tegula/conversion/conversion_digits.hpp>
#include <tegula/core/math.hpp>

namespace tegula {

/// How one side of a conversion touches shared memory: element offsets as a sum, or an XOR, over its digits.
struct staging_side
{
    static_vector<index_t, held_tile::max_digits> offsets; ///< elements for the value 1 of each digit of the side
    index_t vector = 1;                                    ///< elements per access
    index_t run = 1;             ///< neighbouring elements that registers of the side count: a multiple of `vector`
    int matrices = 0;            ///< 8x8 matrices per instruction (ldmatrix, stmatrix); 0: a lane moves a vector
    bool transposed = false;     ///< a word has two elements of one column of the matrix
    bool reads_columns = false;  ///< ds_read_b64_tr_b16: four lanes name a row of 16 elements, 16 lanes get its columns
    long_index_t conflicts = -1; ///< extra cycles of all accesses of all waves; -1: not counted
};

/// A byte-address bit of shared memory that another one is XORed into.
struct swizzled_bit
{
    int bit = 0;
    int with = 0;
};

/// A tile on its way through shared memory: one side writes it, the other reads it.
///
/// The offset of an element is the sum over its digits of value * offset, or, if digits are bits, the XOR of the
/// offsets of the bits that are set. A tile that memory cannot hold whole passes in chunks of consecutive offsets.
struct shared_staging
{
    bool by_xor = false;
    int slot_bits = 32; ///< bits per element in memory; 4-bit elements take 8 if a side cannot write them in pairs
    staging_side store;
    staging_side load;
    index_t elements = 0; ///< elements of memory for the whole tile
    index_t chunk = 0;    ///< elements of memory per chunk, a multiple of both vectors
    static_vector<swizzled_bit, 32> swizzle;
    bool within_waves = false; ///< each wave reads only what it has written

    constexpr index_t chunks() const { return ceil_div(elements, chunk); }
    constexpr long_index_t bytes() const { return (static_cast<long_index_t>(chunk) * slot_bits + 7) / 8; }
    constexpr index_t combine(index_t a, index_t b) const { return by_xor ? a ^ b : a + b; }
};

namespace detail {

/// Offset of the digits that `number` fills: those of a thread, or of a register.
constexpr index_t staging_offset(const shared_staging& p, const held_tile& tile, const staging_side& side,
                                 bool in_thread, index_t number)
{
    index_t offset = 0;
    for (int i = 0; i < tile.digits.size(); ++i) {
        const held_digit& d = tile.digits[i];
        if (d.in_thread == in_thread)
            offset = p.combine(offset, d.value_of(number) * side.offsets[i]);
    }
    return offset;
}

} // namespace detail

constexpr index_t thread_offset(const shared_staging& p, const held_tile& tile, const staging_side& side,
                                index_t thread)
{
    return detail::staging_offset(p, tile, side, true, thread);
}
constexpr index_t register_offset(const shared_staging& p, const held_tile& tile, const staging_side& side,
                                  index_t number)
{
    return detail::staging_offset(p, tile, side, false, number);
}

/// Whether the thread writes its elements: the first copy does.
constexpr bool is_first_copy(const held_tile& tile, index_t thread)
{
    for (const copy_digit& c : tile.copies)
        if (thread / c.stride % c.length != 0)
            return false;
    return true;
}

namespace detail {

/// Elements at consecutive offsets that registers of a thread count.
constexpr index_t longest_run(const held_tile& tile, const staging_side& side)
{
    index_t run = 1;
    for (bool grown = true; grown;) {
        grown = false;
        for (int i = 0; i < tile.digits.size() && !grown; ++i)
            if (!tile.digits[i].in_thread && side.offsets[i] == run) {
                run *= tile.digits[i].length;
                grown = true;
            }
    }
    return run;
}

/// The largest part of the run that is a power of two and at most `limit`, and that all accesses are aligned to.
constexpr index_t longest_vector(const held_tile& tile, const staging_side& side, index_t limit)
{
    index_t vector = power_of_two_divisor(side.run, limit);
    for (int i = 0; i < tile.digits.size(); ++i)
        while ((tile.digits[i].in_thread || side.offsets[i] >= side.run) && side.offsets[i] % vector != 0)
            vector /= 2;
    return vector;
}

/// Register of the element that lies j places after that of register n in memory, inside one vector.
constexpr index_t register_behind(const held_tile& tile, const staging_side& side, index_t n, index_t j)
{
    index_t at = j;
    index_t result = n;
    for (int i = 0; i < tile.digits.size(); ++i) {
        const held_digit& d = tile.digits[i];
        if (!d.in_thread && side.offsets[i] < side.run) {
            at += d.value_of(n) * side.offsets[i];
            result -= d.value_of(n) * d.stride;
        }
    }
    for (int i = 0; i < tile.digits.size(); ++i) {
        const held_digit& d = tile.digits[i];
        if (!d.in_thread && side.offsets[i] < side.run)
            result += at / side.offsets[i] % d.length * d.stride;
    }
    return result;
}

} // namespace detail

/// Whether an access starts at register n.
constexpr bool starts_vector(const shared_staging& p, const held_tile& tile, const staging_side& side, index_t n)
{
    return register_offset(p, tile, side, n) % side.vector == 0;
}

namespace detail {

/// The addresses of a wave's lanes, as offsets in elements, and the lanes that take part.
struct wave_offsets
{
    index_t at[64]{};
    std::uint64_t active = 0;
};

/// Whether lanes of all waves are numbered alike: no digit lies across the end of a wave.
constexpr bool waves_are_alike(const held_tile& tile, int wave_size)
{
    for (const held_digit& d : tile.digits)
        if (d.in_thread && d.stride < wave_size && wave_size % d.end() != 0)
            return false;
    for (const copy_digit& c : tile.copies)
        if (c.stride < wave_size && wave_size % (c.stride * c.length) != 0)
            return false;
    return true;
}

/// The offsets of register 0 in one wave. Loops over lanes are single statements here and below: compilers limit them.
constexpr wave_offsets offsets_of_wave(const shared_staging& p, const held_tile& tile, const staging_side& side,
                                       access_kind kind, int wave_size, index_t wave)
{
    wave_offsets w;
    const index_t first = wave * wave_size;
    for (int i = 0; i < tile.digits.size(); ++i) {
        const held_digit& d = tile.digits[i];
        for (index_t lane = 0; d.in_thread && lane < wave_size; ++lane)
            w.at[lane] = p.combine(w.at[lane], (first + lane) / d.stride % d.length * side.offsets[i]);
    }
    const index_t lanes = side.matrices > 0 ? 8 * side.matrices : wave_size;
    for (index_t lane = 0; lane < lanes; ++lane)
        if (kind == access_kind::load || is_first_copy(tile, first + lane))
            w.active |= std::uint64_t{1} << lane;
    return w;
}

/// The offsets of wave 0, of which each follows from an earlier one. Precondition: waves_are_alike().
constexpr wave_offsets offsets_of_first_wave(const shared_staging& p, const held_tile& tile, const staging_side& side,
                                             access_kind kind, int wave_size)
{
    wave_offsets w;
    w.active = 1;
    const index_t lanes = side.matrices > 0 ? 8 * side.matrices : wave_size;
    for (index_t known = 1; known < lanes;) {
        index_t length = 1, offset = 0;
        bool copies = false;
        for (int i = 0; i < tile.digits.size(); ++i)
            if (tile.digits[i].in_thread && tile.digits[i].stride == known) {
                length = tile.digits[i].length;
                offset = side.offsets[i];
            }
        for (const copy_digit& c : tile.copies)
            if (c.stride == known) {
                length = c.length;
                copies = kind == access_kind::store;
            }
        for (index_t lane = known; lane < known * length; ++lane)
            w.at[lane] = p.combine(w.at[lane % known], lane / known * offset);
        const std::uint64_t low = w.active;
        for (index_t i = 1; i < length && !copies; ++i)
            w.active |= low << (known * i);
        known *= length;
    }
    return w;
}

/// Extra cycles of an access of the lanes in `active`. Memory begins at offset `first`; `offset` is that of the
/// access's registers.
constexpr int staging_conflicts(const chip_info& chip, const shared_staging& p, const staging_side& side,
                                access_kind kind, const wave_offsets& w, index_t offset, index_t first,
                                std::uint64_t active)
{
    index_t addresses[64]{};
    for (std::uint64_t left = active; left != 0; left &= left - 1)
        addresses[__builtin_ctzll(left)] = static_cast<index_t>(
            static_cast<long_index_t>(p.combine(w.at[__builtin_ctzll(left)], offset) - first) * p.slot_bits / 8);
    return conflict_cycles(chip, kind, static_cast<int>(side.vector) * p.slot_bits / 8, addresses, active);
}

/// Extra cycles of the accesses of one wave to a tile that passes whole. Accesses differ by a shift, or an XOR, of all
/// addresses. A shift by whole words leaves the conflicts as they are, so each shift inside a word is counted once.
class whole_conflicts
{
public:
    constexpr whole_conflicts(const chip_info& chip, const shared_staging& p, const held_tile& tile,
                              const staging_side& side, access_kind kind)
        : chip_(chip), p_(p), tile_(tile), side_(side), kind_(kind)
    {
        const long_index_t vector_bits = static_cast<long_index_t>(side.vector) * p.slot_bits;
        if (!p.by_xor && vector_bits < 32)
            slots_of_word_ = 32 / p.slot_bits;
        accesses_[0] = 1;
        for (int i = 0; i < tile.digits.size() && slots_of_word_ > 1; ++i)
            if (!tile.digits[i].in_thread)
                add_registers(tile.digits[i].length, side.offsets[i]);
    }
    /// The extra cycles of all accesses of the wave that lies `shift` elements after that of `w`.
    constexpr long_index_t of_wave(const wave_offsets& w, index_t shift)
    {
        if (slots_of_word_ == 1)
            return tile_.registers / side_.vector * conflicts_at(w, 0);
        long_index_t sum = 0;
        for (index_t start = 0; start < slots_of_word_; start += side_.vector)
            if (accesses_[start] != 0)
                sum += accesses_[start] * conflicts_at(w, (shift + start) % slots_of_word_);
        return sum;
    }

private:
    constexpr long_index_t conflicts_at(const wave_offsets& w, index_t offset) const
    {
        return staging_conflicts(chip_, p_, side_, kind_, w, offset, 0, w.active);
    }
    /// Adds a digit of the registers: each of its values moves all places in a word.
    constexpr void add_registers(index_t length, index_t offset)
    {
        index_t moved[8]{};
        for (index_t value = 0, by = 0; value < length; ++value, by = (by + offset) % slots_of_word_)
            for (index_t at = 0; at < slots_of_word_; ++at)
                moved[(at + by) % slots_of_word_] += accesses_[at];
        for (index_t at = 0; at < slots_of_word_; ++at)
            accesses_[at] = moved[at];
    }

    const chip_info& chip_;
    const shared_staging& p_;
    const held_tile& tile_;
    const staging_side& side_;
    access_kind kind_;
    index_t slots_of_word_ = 1;
    index_t accesses_[8]{}; ///< registers by their place in a word; only those of whole vectors start an access
};

/// Extra cycles of all accesses of one wave in chunks: each chunk serves the lanes that it holds.
constexpr long_index_t chunk_conflicts(const chip_info& chip, const shared_staging& p, const held_tile& tile,
                                       const staging_side& side, access_kind kind, const wave_offsets& w)
{
    long_index_t sum = 0;
    for (index_t n = 0; n < tile.registers; ++n) {
        if (!starts_vector(p, tile, side, n))
            continue;
        const index_t offset = register_offset(p, tile, side, n);
        const auto chunk_of = [&](int lane) { return p.combine(w.at[lane], offset) / p.chunk; };
        for (std::uint64_t left = w.active; left != 0;) {
            const index_t chunk = chunk_of(__builtin_ctzll(left));
            std::uint64_t together = 0;
            for (std::uint64_t rest = left; rest != 0; rest &= rest - 1)
                if (chunk_of(__builtin_ctzll(rest)) == chunk)
                    together |= rest & -rest;
            sum += staging_conflicts(chip, p, side, kind, w, offset, chunk * p.chunk, together);
            left &= ~together;
        }
    }
    return sum;
}

} // namespace detail

/// Extra cycles of all accesses of the first wave to a tile that passes whole.
constexpr long_index_t conflicts_of_first_wave(const chip_info& chip, const shared_staging& p, const held_tile& tile,
                                               const staging_side& side, access_kind kind)
{
    const detail::wave_offsets w = detail::waves_are_alike(tile, chip.wave_size)
                                       ? detail::offsets_of_first_wave(p, tile, side, kind, chip.wave_size)
                                       : detail::offsets_of_wave(p, tile, side, kind, chip.wave_size, 0);
    return detail::whole_conflicts(chip, p, tile, side, kind).of_wave(w, 0);
}

/// Extra cycles of all accesses of one side.
constexpr long_index_t count_conflicts(const chip_info& chip, const shared_staging& p, const held_tile& tile,
                                       const staging_side& side, access_kind kind)
{
    const index_t waves = tile.threads / chip.wave_size;
    detail::whole_conflicts whole(chip, p, tile, side, kind);
    long_index_t sum = 0;
    if (p.chunks() == 1 && detail::waves_are_alike(tile, chip.wave_size)) {
        const auto w = detail::offsets_of_first_wave(p, tile, side, kind, chip.wave_size);
        for (index_t wave = 0; wave < waves; ++wave)
            if (kind == access_kind::load || is_first_copy(tile, wave * chip.wave_size))
                sum += whole.of_wave(w, thread_offset(p, tile, side, wave * chip.wave_size));
        return sum;
    }
    for (index_t wave = 0; wave < waves; ++wave) {
        const detail::wave_offsets w = detail::offsets_of_wave(p, tile, side, kind, chip.wave_size, wave);
        sum += p.chunks() == 1 ? whole.of_wave(w, 0) : detail::chunk_conflicts(chip, p, tile, side, kind, w);
    }
    return sum;
}

/// Cycles of shared memory for all accesses of one wave on one side, plus one for each instruction, without conflicts.
/// `vector` is in elements.
constexpr long_index_t access_cycles(const chip_info& chip, const held_tile& tile, access_kind kind, index_t vector,
                                     int slot_bits)
{
    const int bytes = static_cast<int>(vector) * slot_bits / 8;
    return (1 + find_bank_rule(chip, kind, bytes).phases * (chip.wave_size / 32)) *
           static_cast<long_index_t>(tile.registers / vector);
}

/// The cost by which layouts are compared: the access cycles of both sides, with conflicts counted twice.
constexpr long_index_t staging_cost(const chip_info& chip, const shared_staging& p, const conversion_digits& both)
{
    const auto cost = [&](const held_tile& tile, const staging_side& side, access_kind kind) {
        const long_index_t cycles = side.matrices > 0
                                        ? (1 + side.matrices) * static_cast<long_index_t>(tile.registers / side.vector)
                                        : access_cycles(chip, tile, kind, side.vector, p.slot_bits);
        return cycles + 2 * conflicts_of_first_wave(chip, p, tile, side, kind);
    };
    return cost(both.source, p.store, access_kind::store) + cost(both.destination, p.load, access_kind::load);
}

} // namespace tegula
