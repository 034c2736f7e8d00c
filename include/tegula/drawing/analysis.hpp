#pragma once

#include <tegula/chip/bank_conflicts.hpp>
#include <tegula/core/math.hpp>
#include <tegula/layout/access_plan.hpp>
#include <tegula/layout/encoding.hpp>

namespace tegula {

/// Order of a tile's elements in memory: row_major has the last dimension contiguous, column_major the first.
enum class tile_order { row_major, column_major };

/// The accesses with which one wave moves its part of a tile between registers and memory. Each access is a vector along the
/// contiguous dimension. Lane l starts it at element origins[l] + step. All lanes have the same steps: for_each_step(e, w, f)
/// calls f(step) for each of them.
struct wave_walk
{
    static constexpr int max_lanes = 64;

    int dim = 0;    ///< the contiguous dimension
    int vector = 1; ///< elements an access moves for a lane
    int lanes = 0;
    int num_x = 0;
    long_index_t accesses = 0;   ///< accesses per lane
    std::uint64_t lane_mask = 0; ///< bit l: lane l takes part in a load
    std::uint64_t writers = 0;   ///< bit l: lane l takes part in a store, being the first of its replicas
    long_index_t lengths[encoding_value::max_x]{}; ///< lengths of the tile, in elements
    index_t origins[max_lanes][encoding_value::max_x]{};
};

/// The parameters of an analysis: lanes of a wave, bits of an element, the order in memory, most bytes of an access.
struct access_question
{
    int wave_size = 32;
    int element_bits = 32;
    tile_order order = tile_order::row_major;
    int max_access_bytes = 16;
};

namespace detail {

/// The partition index of lane `lane` of the first wave.
constexpr long_indices lane_of_first_wave(const encoding_value& e, int lane)
{
    long_indices p = zeros(e.num_p());
    if (e.num_p() > 0)
        p[e.num_p() - 1] = lane;
    return p;
}

} // namespace detail

/// The walk of the first wave of an encoding whose last P counts lanes or threads; other waves differ by a shift.
/// Precondition: validate(e) is empty.
constexpr wave_walk make_wave_walk(const encoding_value& e, const access_question& q)
{
    wave_walk w;
    w.num_x = e.num_x();
    w.dim = q.order == tile_order::row_major && e.num_x() > 0 ? e.num_x() - 1 : 0;
    const long_index_t last_p = e.num_p() > 0 ? p_length(e, e.num_p() - 1) : 1;
    w.lanes = static_cast<int>(last_p < q.wave_size ? last_p : q.wave_size);
    for (int i = 0; i < w.num_x; ++i)
        w.lengths[i] = x_length(e, i);
    if (w.num_x > 0)
        w.vector = internal::vector_length(e, w.dim, q.max_access_bytes * 8 / q.element_bits);
    const digit_table t = make_digit_table(e);
    const long_indices first = zeros(e.num_y());
    for (int lane = 0; lane < w.lanes; ++lane) {
        const long_indices p = detail::lane_of_first_wave(e, lane);
        const long_indices x = calculate_index(t, p, first);
        w.lane_mask |= std::uint64_t{1} << lane;
        w.writers |= std::uint64_t{is_first_replica(t, p)} << lane;
        for (int i = 0; i < w.num_x; ++i)
            w.origins[lane][i] = static_cast<index_t>(x[i]);
    }
    w.accesses = registers_per_lane(e) / w.vector;
    return w;
}

/// Calls f(step) for every access of a lane: the distance from the lane's first access, one index per dimension.
template <class F>
constexpr void for_each_step(const encoding_value& e, const wave_walk& w, F&& f)
{
    const digit_table t = make_digit_table(e);
    const long_indices lengths = y_lengths(e), p = zeros(e.num_p());
    for (long_index_t flat = 0; flat < registers_per_lane(e); ++flat) {
        const long_indices x = calculate_index(t, p, unflatten(flat, lengths, e.num_y()));
        if (w.num_x == 0 || x[w.dim] % w.vector == 0)
            f(x);
    }
}

/// The traffic of a distribution with global memory.
struct coalescing_analysis
{
    int vector = 1;             ///< elements per access of a lane
    int access_bytes = 0;       ///< bytes per access of a lane
    long_index_t accesses = 0;  ///< accesses per lane for its part of the tile
    int sectors_per_access = 0; ///< most 32-byte sectors that one access of the wave touches
    int fewest_sectors = 0;     ///< the wave's bytes in one access / 32, rounded up
    long_index_t sectors = 0;   ///< sectors touched by all accesses of the wave
    /// No access touches more sectors than its bytes need: of the bytes fetched, less than a sector's worth go unused. If an
    /// access is a multiple of 32 bytes, all are used.
    constexpr bool is_perfect() const { return sectors_per_access == fewest_sectors; }
};

namespace detail {

inline constexpr int sector_bytes = 32;

/// Sectors that an access touches if it starts `shift` bytes after the lanes' origins; `shift` is less than a sector. Every
/// row begins at a sector boundary. Only the first replica of an element counts: the others ask for the same bytes.
constexpr int count_sectors(const wave_walk& w, int element_bits, int shift)
{
    static_vector<long_index_t, 2 * wave_walk::max_lanes> seen;
    const int bytes = (w.vector * element_bits + 7) / 8;
    for (int lane = 0; lane < w.lanes; ++lane) {
        if ((w.writers >> lane & 1) == 0)
            continue;
        long_index_t row = 0;
        for (int i = 0; i < w.num_x; ++i)
            row = i == w.dim ? row : row * w.lengths[i] + w.origins[lane][i];
        const long_index_t first = static_cast<long_index_t>(w.origins[lane][w.dim]) * element_bits / 8 + shift;
        for (long_index_t s = first / sector_bytes; s <= (first + bytes - 1) / sector_bytes; ++s) {
            const long_index_t key = row * (w.lengths[w.dim] + 1) + s; // a row has fewer sectors than elements + 1
            int i = seen.size() - 1;
            while (i >= 0 && seen[i] != key)
                --i;
            if (i < 0)
                seen.push_back(key);
        }
    }
    return seen.size();
}

} // namespace detail

/// Counts the 32-byte sectors of every access of the first wave. The tensor's rows are taken to begin at a sector
/// boundary and to be longer than the tile. Precondition: validate(e) is empty.
constexpr coalescing_analysis analyze_coalescing(const encoding_value& e, const access_question& q)
{
    const wave_walk w = make_wave_walk(e, q);
    coalescing_analysis result;
    result.vector = w.vector;
    result.access_bytes = (w.vector * q.element_bits + 7) / 8;
    result.accesses = w.accesses;
    result.fewest_sectors =
        ceil_div(__builtin_popcountll(w.writers) * w.vector * q.element_bits / 8, detail::sector_bytes);
    int by_shift[detail::sector_bytes]{}; // by bytes past a sector boundary; 0: not counted yet
    for_each_step(e, w, [&](const long_indices& x) {
        const int shift = static_cast<int>((w.num_x > 0 ? x[w.dim] : 0) * q.element_bits / 8 % detail::sector_bytes);
        if (by_shift[shift] == 0)
            by_shift[shift] = detail::count_sectors(w, q.element_bits, shift);
        result.sectors += by_shift[shift];
        if (by_shift[shift] > result.sectors_per_access)
            result.sectors_per_access = by_shift[shift];
    });
    return result;
}

/// The bank conflicts of a distribution in shared memory.
struct bank_analysis
{
    int access_bytes = 0;
    long_index_t accesses = 0;      ///< accesses per wave
    long_index_t conflicts = 0;     ///< extra cycles of all accesses
    bool rule_is_published = false; ///< false: the chip's phases are assumed (see chip/bank_conflicts.hpp)
};

/// Counts the bank conflicts of the first wave by the chip's own rule; of several replicas the first one stores.
/// `pitch` is the distance of neighbouring rows of a two-dimensional tile (of columns if column-major), in elements;
/// 0 means packed. Precondition: validate(e) is empty and the tile has one or two dimensions.
constexpr bank_analysis analyze_banks(const encoding_value& e, const chip_info& chip, access_kind kind,
                                      const access_question& q, index_t pitch = 0)
{
    const wave_walk w = make_wave_walk(e, q);
    bank_analysis result{(w.vector * q.element_bits + 7) / 8, w.accesses};
    result.rule_is_published = phase_is_published(chip, kind, result.access_bytes);
    if (pitch == 0 && w.num_x > 0)
        pitch = static_cast<index_t>(x_length(e, w.dim));
    const auto place_of = [&](const auto& x) {
        long_index_t element = 0;
        for (int i = 0; i < w.num_x; ++i)
            element += static_cast<long_index_t>(x[i]) * (i == w.dim ? 1 : pitch);
        return element * q.element_bits;
    };
    // Accesses that begin equally far past a 16-byte boundary have the same conflicts.
    constexpr int unit_bits = 128;
    int by_shift[unit_bits]{}; // one more than the extra cycles; 0: not counted yet
    for_each_step(e, w, [&](const long_indices& x) {
        const auto shift = static_cast<int>(place_of(x) % unit_bits);
        if (by_shift[shift] == 0) {
            long_index_t addresses[wave_walk::max_lanes]{};
            for (int lane = 0; lane < w.lanes; ++lane)
                addresses[lane] = (place_of(w.origins[lane]) + shift) / 8;
            by_shift[shift] = 1 + conflict_cycles(chip, kind, result.access_bytes, addresses,
                                                  kind == access_kind::store ? w.writers : w.lane_mask);
        }
        result.conflicts += by_shift[shift] - 1;
    });
    return result;
}

/// The size of a distribution: elements, registers, lanes, replication.
struct coverage_analysis
{
    long_index_t elements = 0;       ///< elements in the tile
    long_index_t registers = 0;      ///< elements a lane holds
    long_index_t lanes = 0;          ///< lanes that take part
    long_index_t replication = 1;    ///< holders of each element
    long_index_t register_words = 0; ///< 32-bit registers a lane needs, packed
};

/// Every valid encoding covers its tile: lanes x registers = elements x replication.
constexpr coverage_analysis analyze_coverage(const encoding_value& e, int element_bits)
{
    coverage_analysis c;
    c.elements = 1;
    for (int i = 0; i < e.num_x(); ++i)
        c.elements *= x_length(e, i);
    c.registers = registers_per_lane(e);
    c.lanes = partition_size(e);
    c.replication = replication(e);
    c.register_words = (c.registers * element_bits + 31) / 32;
    return c;
}

namespace detail {

/// Lanes of a wave by the encoding: the length of the last P, or 1 without a P. A single P has at most 32.
template <class E>
consteval int implied_wave_size()
{
    static_assert(E::value.num_p() != 1 || p_length(E::value, 0) <= 32,
                  "tegula: the encoding counts threads, not lanes of a wave; give the wave size as the last argument");
    return E::value.num_p() == 0 ? 1 : static_cast<int>(p_length(E::value, E::value.num_p() - 1));
}

template <class Element>
inline constexpr int element_bits = 8 * static_cast<int>(sizeof(Element));

} // namespace detail

/// The coalescing of an encoding's accesses to a tensor of Element in this order:
/// static_assert(coalescing<e, float>.sectors_per_access == 8).
template <encoding E, class Element, tile_order Order = tile_order::row_major,
          int WaveSize = detail::implied_wave_size<E>()>
inline constexpr coalescing_analysis coalescing =
    analyze_coalescing(E::value, {WaveSize, detail::element_bits<Element>, Order});

/// The bank conflicts of an encoding's accesses to a tile in shared memory, rows Pitch elements apart (0: packed), on
/// the chip Target::chip(): static_assert(bank_conflicts<e, half, arch::gfx942, access_kind::load, 72>.conflicts == 0).
template <encoding E, class Element, class Target, access_kind Kind, index_t Pitch = 0,
          tile_order Order = tile_order::row_major>
inline constexpr bank_analysis bank_conflicts = analyze_banks(
    E::value, Target::chip(), Kind, {Target::chip().wave_size, detail::element_bits<Element>, Order}, Pitch);

/// Elements, lanes, registers and replication of an encoding that holds Element.
template <encoding E, class Element>
inline constexpr coverage_analysis coverage = analyze_coverage(E::value, detail::element_bits<Element>);

} // namespace tegula
