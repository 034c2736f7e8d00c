#pragma once

#include <tegula/chip/chip_info.hpp>

namespace tegula {

/// The direction of an access to shared memory; some chips serve the two by different rules.
enum class access_kind { load, store };

/// How shared memory serves one access of a whole wave. It serves the lanes in phases, one phase after the other. In a
/// cycle each bank gives one word of 4 bytes, a row of the bank. If lanes of a phase need different rows of one bank,
/// there is a bank conflict. Phases are masks over 32 lanes; a wave of 64 repeats them for its upper half.
struct bank_rule
{
    int banks;
    int phases;
    std::uint32_t lanes[8]; ///< mask of the lanes in each phase
    bool published;         ///< false: no published rule was found, this one is assumed
};

namespace detail {

/// Phases of `count` neighbouring lanes.
constexpr bank_rule neighbours(int banks, int count, bool published)
{
    bank_rule rule{banks, 32 / count, {}, published};
    const std::uint32_t group = count == 32 ? ~0U : (1U << count) - 1;
    for (int phase = 0; phase < rule.phases; ++phase)
        rule.lanes[phase] = group << (phase * count);
    return rule;
}

/// Lanes whose accesses of `bytes` bytes fill 128 bytes, which is 32 banks once.
constexpr int lanes_filling_banks(int bytes) { return bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8; }

inline constexpr bank_rule read_b128_gfx942 = {32, 4, {0x00f0000f, 0x000f00f0, 0xf0000f00, 0x0f00f000}, true};
inline constexpr bank_rule read_b96_gfx950 = read_b128_gfx942;
inline constexpr bank_rule read_b128_gfx950 = {64, 2, {0x0ff0f00f, 0xf00f0ff0}, true};

} // namespace detail

/// The rule by which `chip` serves an access of `bytes` bytes a lane.
///
/// NVIDIA: 32 banks of 4 bytes; accesses of 4 bytes by warps, 8 by half warps, 16 by quarter warps (CUDA C++ Best
/// Practices Guide, shared memory; the split of wide accesses is NVIDIA's published advice on vector loads).
/// AMD: the published lane groups for gfx942 (ds_read_b128, ds_write_b128) and gfx950 (ds_read_b64, b96, b128,
/// ds_write_b64); elsewhere neighbouring lanes that fill 128 bytes, marked as not published.
constexpr bank_rule find_bank_rule(const chip_info& chip, access_kind kind, int bytes)
{
    const bool load = kind == access_kind::load;
    const int count = detail::lanes_filling_banks(bytes);
    if (chip.vendor == vendor::nvidia)
        return detail::neighbours(32, count, true);
    if (chip.family == chip_family::cdna_3) {
        if (bytes == 16)
            return load ? detail::read_b128_gfx942 : detail::neighbours(32, 8, true);
    } else if (chip.family == chip_family::cdna_4) {
        if (load && bytes == 16)
            return detail::read_b128_gfx950;
        if (load && bytes == 12)
            return detail::read_b96_gfx950;
        if (bytes == 8)
            return load ? detail::neighbours(64, 32, true) : detail::neighbours(32, 16, true);
    }
    return detail::neighbours(32, count, false);
}

/// Whether the vendor published the rule that conflict_cycles() takes; if not, say "assumed" next to its numbers.
constexpr bool phase_is_published(const chip_info& chip, access_kind kind, int bytes)
{
    return find_bank_rule(chip, kind, bytes).published;
}

namespace detail {

/// A naturally aligned access covers whole groups of banks, so that wide ones are counted group by group.
struct bank_groups
{
    unsigned unit; ///< bytes a group gives at a time
    int units_of_access;
    std::uint64_t groups;

    constexpr bank_groups(int banks, int bytes)
        : unit(bytes < 4 || bytes == 12 ? 4U : static_cast<unsigned>(bytes)), units_of_access(bytes == 12 ? 3 : 1),
          groups(static_cast<unsigned>(banks) * 4U / unit)
    {}
    /// Row of the unit at `address` in all groups together: its group is row % groups.
    template <class Address>
    constexpr std::uint64_t row(Address address) const
    {
        return static_cast<std::uint64_t>(address) / unit;
    }
};

/// Whether no bank must give more than one row for the `lanes` of one phase. address_of(lane): byte address.
template <class AddressOf>
constexpr bool lanes_are_free(int banks, int bytes, AddressOf&& address_of, std::uint32_t lanes)
{
    const bank_groups of(banks, bytes);
    std::uint64_t rows[3 * 32];
    int count = 0;
    std::uint64_t taken = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        const std::uint64_t first = of.row(address_of(__builtin_ctz(lanes)));
        for (std::uint64_t row = first; row < first + static_cast<unsigned>(of.units_of_access); ++row) {
            const std::uint64_t group = 1ULL << row % of.groups;
            if ((taken & group) == 0) {
                taken |= group;
                rows[count++] = row;
                continue;
            }
            int same = 0; // the same word again is a broadcast
            while (same < count && rows[same] != row)
                ++same;
            if (same == count)
                return false;
        }
    }
    return true;
}

/// Most distinct rows any bank must give for the `lanes` of one phase; 0 when none is active.
template <class Address>
constexpr int rows_of_busiest_bank(int banks, int bytes, const Address* addresses, std::uint32_t lanes)
{
    const bank_groups of(banks, bytes);
    if (of.units_of_access == 1) { // mostly every lane has a group to itself
        std::uint64_t taken = 0;
        for (std::uint32_t left = lanes; left != 0; left &= left - 1)
            taken |= 1ULL << static_cast<std::uint64_t>(addresses[__builtin_ctz(left)]) / of.unit % of.groups;
        if (__builtin_popcountll(taken) == __builtin_popcount(lanes))
            return lanes != 0;
    }
    // A list of rows for every bank group.
    std::uint64_t seen[32]{};
    signed char before[32]{}; // one plus the position in `seen` of the group's row before, 0 for none
    signed char newest[64]{}; // by bank group: one plus the position of its newest row
    signed char rows[64]{};
    int count = 0;
    int busiest = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        const int lane = __builtin_ctz(lanes);
        for (int part = 0; part < of.units_of_access; ++part) {
            const std::uint64_t row = of.row(addresses[lane]) + static_cast<unsigned>(part);
            const auto group = static_cast<int>(row % of.groups);
            int same = newest[group];
            while (same != 0 && seen[same - 1] != row)
                same = before[same - 1];
            if (same != 0)
                continue; // the same word again is a broadcast
            seen[count] = row;
            before[count] = newest[group];
            newest[group] = static_cast<signed char>(++count);
            busiest = ++rows[group] > busiest ? rows[group] : busiest;
        }
    }
    return busiest;
}

} // namespace detail

/// Extra cycles one wave-wide access to shared memory takes because lanes of a phase need different rows of one bank;
/// 0 is free.
///
/// bytes      bytes a lane: 1, 2, 4, 8, 12 or 16
/// addresses  one byte address a lane, wave_size of them, aligned to `bytes` (12: to 4); those of inactive lanes are
///            not read
/// active     bit i: lane i takes part
template <class Address>
constexpr int conflict_cycles(const bank_rule& rule, int wave_size, int bytes, const Address* addresses,
                              std::uint64_t active)
{
    int extra = 0;
    for (int first = 0; first < wave_size; first += 32)
        for (int phase = 0; phase < rule.phases; ++phase) {
            const std::uint32_t lanes = rule.lanes[phase] & static_cast<std::uint32_t>(active >> first);
            const int rows = detail::rows_of_busiest_bank(rule.banks, bytes, addresses + first, lanes);
            if (rows > 1)
                extra += rows - 1;
        }
    return extra;
}

/// By the rule that `chip` has for such an access.
template <class Address>
constexpr int conflict_cycles(const chip_info& chip, access_kind kind, int bytes, const Address* addresses,
                              std::uint64_t active)
{
    return conflict_cycles(find_bank_rule(chip, kind, bytes), chip.wave_size, bytes, addresses, active);
}

} // namespace tegula
