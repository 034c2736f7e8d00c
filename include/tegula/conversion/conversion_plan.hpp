#pragma once

#include <tegula/conversion/lane_exchange.hpp>
#include <tegula/conversion/lane_gather.hpp>
#include <tegula/conversion/ldmatrix_staging.hpp>
#include <tegula/conversion/shared_staging_padded.hpp>
#include <tegula/core/math.hpp>

namespace tegula {

/// How a tile changes its distribution: no change, other registers of the same lane, shuffles between lanes of a wave,
/// or through shared memory.
enum class conversion_method { none, registers, shuffle, shared };

constexpr const char* name_of(conversion_method method)
{
    constexpr const char* names[] = {"none", "register", "shuffle", "shared"};
    return names[static_cast<int>(method)];
}

/// The means that a conversion may use.
struct conversion_limits
{
    bool force_shared = false; ///< through shared memory in any case
    /// Bytes of shared memory that the conversion may take; the chip's own size is a limit too. A tile that needs more
    /// is shuffled if any number of shuffles can do the conversion. Otherwise it passes in chunks of this size.
    long_index_t shared_bytes = INT32_MAX;
};

/// How a tile changes from one distribution to another on one chip, as a value.
///
/// The plan uses one of `exchange`, `gather` and `staging`; ignore the other two. Methods registers and shuffle use the
/// exchange (lane_exchange.hpp) or, if `by_gather`, the gather (lane_gather.hpp). Method shared uses the staging
/// (shared_staging.hpp): lanes write the tile to shared memory in the source distribution and read it in the other.
struct conversion_plan
{
    conversion_method method = conversion_method::shared;
    bool by_gather = false;
    int wave_size = 32;
    int element_bits = 32;
    conversion_digits sides;
    lane_exchange exchange;
    lane_gather gather;
    shared_staging staging;
    int shuffles = 0; ///< shuffle instructions of 32 bits
    /// Cycles of shared memory for one wave. A shuffle uses the same crossbar and counts as 1 cycle, a barrier as 32.
    long_index_t cost = 0;
};

namespace detail {

/// Bits of an element in shared memory. Elements of 4 bits take 8 unless both sides move pairs of them.
constexpr int slot_bits_of(const conversion_digits& both, int element_bits)
{
    if (element_bits >= 8)
        return element_bits;
    for (int i = 0; both.refined && i < both.source.digits.size(); ++i)
        if (!both.source.digits[i].in_thread && !both.destination.digits[i].in_thread &&
            both.source.digits[i].length == 2)
            return element_bits;
    return 8;
}

/// Whether every element is written by the wave that reads it.
constexpr bool stays_in_waves(const conversion_digits& both, int wave_size)
{
    for (const copy_digit& c : both.source.copies)
        if (c.stride * c.length > wave_size)
            return false;
    return same_waves(both.source, both.destination, wave_size) && same_waves(both.destination, both.source, wave_size);
}

/// Cycles of the barriers that are needed if waves read each other's elements.
constexpr long_index_t barrier_cycles(bool within_waves) { return within_waves ? 0 : 64; }

/// Whether an exchange that is_renaming() renames nothing.
constexpr bool is_identity(const conversion_plan& plan)
{
    if (plan.sides.source.registers != plan.sides.destination.registers)
        return false;
    for (const lane_exchange::kept_digit& k : plan.exchange.kept)
        if (k.source != k.destination)
            return false;
    return true;
}

/// Plans the conversion inside waves; false if it cannot be done there.
constexpr bool plan_inside_waves(conversion_plan& plan)
{
    plan.exchange = plan_lane_exchange(plan.sides, plan.wave_size, plan.element_bits);
    if (plan.exchange.possible) {
        plan.shuffles = count_shuffles(plan.exchange, plan.sides.destination.registers, plan.element_bits);
        plan.method = plan.shuffles > 0 ? conversion_method::shuffle : conversion_method::registers;
        if (plan.exchange.is_renaming() && is_identity(plan))
            plan.method = conversion_method::none;
        plan.cost = plan.shuffles;
        return true;
    }
    plan.gather = plan_lane_gather(plan.sides, plan.wave_size);
    plan.by_gather = plan.gather.possible;
    plan.shuffles = plan.gather.shuffles * ((plan.element_bits + 31) / 32);
    plan.method = plan.shuffles > 0 ? conversion_method::shuffle : conversion_method::registers;
    plan.cost = plan.shuffles;
    return plan.by_gather;
}

} // namespace detail

/// Counts the bank conflicts of both sides of a staging. plan_conversion() does it for a tile that passes whole. In
/// chunks each access of each chunk has its own conflicts, which are too many to count at compile time.
constexpr void count_conflicts(const chip_info& chip, conversion_plan& plan)
{
    shared_staging& p = plan.staging;
    const conversion_digits rows = addressing_sides(plan.sides, p);
    p.store.conflicts = count_conflicts(chip, p, rows.source, p.store, access_kind::store);
    p.load.conflicts = count_conflicts(chip, p, rows.destination, p.load, access_kind::load);
}

namespace detail {

/// A lower bound of the cost of any staging, as if no access conflicted. One side has its widest accesses. Those of the
/// other side hold only elements that are neighbours in registers of both sides, if the digits refine each other and no
/// side copies matrices.
constexpr long_index_t least_staging_cost(const chip_info& chip, const conversion_digits& both, int element_bits)
{
    const int bits = slot_bits_of(both, element_bits);
    const index_t limit = 128 / bits;
    const auto side = [&](const held_tile& tile, access_kind kind, index_t elements) {
        return access_cycles(chip, tile, kind, power_of_two_divisor(elements, limit), bits);
    };
    const auto store = [&](index_t elements) { return side(both.source, access_kind::store, elements); };
    const auto load = [&](index_t elements) { return side(both.destination, access_kind::load, elements); };
    index_t common = 1;
    for (int i = 0; both.refined && i < both.source.digits.size(); ++i)
        if (!both.source.digits[i].in_thread && !both.destination.digits[i].in_thread)
            common *= both.source.digits[i].length;
    const bool copies_matrices = bits == 16 && (chip.vendor == vendor::nvidia || chip.has_column_read);
    const index_t stored = both.source.registers, loaded = both.destination.registers;
    const long_index_t least = both.refined && !copies_matrices
                                   ? min(store(stored) + load(common), store(common) + load(loaded))
                                   : store(stored) + load(loaded);
    return least + barrier_cycles(stays_in_waves(both, chip.wave_size));
}

/// Takes the staging, in at most `limit` bytes, if it costs less than the plan. A plan that is shuffled passes whole.
constexpr void take_staging(const chip_info& chip, conversion_plan& plan, shared_staging staging, long_index_t limit)
{
    const bool inside = plan.method != conversion_method::shared;
    const long_index_t line = 128 / staging.slot_bits;
    const long_index_t fit = min<long_index_t>(limit, chip.shared_bytes) * 8 / staging.slot_bits / line * line;
    staging.chunk = static_cast<index_t>(fit < staging.elements ? fit : staging.elements);
    staging.within_waves = stays_in_waves(plan.sides, chip.wave_size);
    const long_index_t cost =
        staging_cost(chip, staging, addressing_sides(plan.sides, staging)) + barrier_cycles(staging.within_waves);
    if (inside && (staging.chunks() > 1 || plan.cost <= cost))
        return;
    plan.method = conversion_method::shared;
    plan.by_gather = false;
    plan.shuffles = 0;
    plan.staging = staging;
    plan.cost = cost;
    if (staging.chunks() == 1)
        count_conflicts(chip, plan);
}

} // namespace detail

/// A search for a plan between two constant evaluations: the cheapest plan so far, and where the search stands.
struct conversion_search
{
    conversion_plan plan;
    padded_progress rows;
    long_index_t shared_bytes = 0; ///< of conversion_limits

    constexpr bool is_over() const { return rows.is_over(); }
};

/// Begins the search of plan_conversion(), for one constant evaluation. Precondition: check_conversion() is ok.
constexpr conversion_search begin_conversion_search(const chip_info& chip, const encoding_value& source,
                                                    const encoding_value& destination, int element_bits,
                                                    const conversion_limits& limits = {})
{
    conversion_search search;
    conversion_plan& plan = search.plan;
    plan.wave_size = chip.wave_size;
    plan.element_bits = element_bits;
    plan.sides = make_conversion_digits(source, destination, chip.wave_size);
    const bool inside = !limits.force_shared && detail::plan_inside_waves(plan);
    if (inside && (limits.shared_bytes == 0 || plan.cost <= detail::least_staging_cost(chip, plan.sides, element_bits)))
        return search;
    if (!inside)
        plan.method = conversion_method::shared;
    search.shared_bytes = max<long_index_t>(limits.shared_bytes, 16);
    const long_index_t bytes = min<long_index_t>(search.shared_bytes, chip.shared_bytes);
    const int bits = detail::slot_bits_of(plan.sides, element_bits);
    shared_staging staging;
    if (plan.sides.refined && detail::is_linear(plan.sides.source, chip.wave_size) &&
        detail::is_linear(plan.sides.destination, chip.wave_size)) {
        staging = plan_xor_staging(chip, plan.sides, bits);
        // All rows of a matrix are in memory at once only if the tile passes whole.
        const bool copies_matrices = bits == 16 && long_index_t{2} * staging.elements <= bytes;
        if (copies_matrices && chip.vendor == vendor::nvidia)
            staging = choose_matrix_copies(chip, plan.sides, staging);
        if (copies_matrices && chip.has_column_read)
            staging = choose_column_read(chip, plan.sides, staging);
    } else {
        const bool within_waves = detail::stays_in_waves(plan.sides, chip.wave_size);
        search.rows = plan_padded_staging(chip, plan.sides, bits, detail::barrier_cycles(within_waves),
                                          inside ? plan.cost : INT64_MAX);
        staging = search.rows.best;
        if (staging.bytes() > bytes)
            search.rows.blocks = {}; // chunks have other conflicts than those that it counts
    }
    if (staging.elements > 0)
        detail::take_staging(chip, plan, staging, search.shared_bytes);
    return search;
}

/// The search after one more constant evaluation. Precondition: it is not over.
constexpr conversion_search continue_conversion_search(const chip_info& chip, conversion_search search)
{
    const long_index_t before = search.rows.best_cost;
    continue_padded_staging(chip, search.plan.sides, search.rows);
    const shared_staging& found = search.rows.best;
    const bool fits = found.bytes() <= min<long_index_t>(search.shared_bytes, chip.shared_bytes);
    if (search.rows.best_cost < before && fits)
        detail::take_staging(chip, search.plan, found, search.shared_bytes);
    return search;
}

/// The cheapest way from `source` to `destination` for elements of 4, 8, 16, 32 or 64 bits, by conversion_plan::cost.
///
/// Renaming registers costs nothing; nor does a choice between registers by the number of the lane. Shuffles are taken
/// unless shared memory takes fewer cycles for the whole tile. In two cases shuffles are not considered, even if they
/// could do the conversion:
///
///   - a side has more than 256 registers, and the digits of the two sides do not refine each other
///     (conversion_digits.hpp);
///   - copies in the source lie across the end of a wave.
///
/// The search for a layout of shared memory ends after a fixed amount of work. convert() does it in several constant
/// evaluations. In a single one, about 1 in 100 pairs needs more than clang's -fconstexpr-steps allow by default.
/// Precondition: check_conversion() is ok.
constexpr conversion_plan plan_conversion(const chip_info& chip, const encoding_value& source,
                                          const encoding_value& destination, int element_bits,
                                          const conversion_limits& limits = {})
{
    conversion_search search = begin_conversion_search(chip, source, destination, element_bits, limits);
    while (!search.is_over())
        search = continue_conversion_search(chip, search);
    return search.plan;
}

/// Why plan_conversion() has no plan for this pair; ok if it has.
constexpr status check_conversion(const chip_info& chip, const encoding_value& source,
                                  const encoding_value& destination, int element_bits,
                                  const conversion_limits& limits = {})
{
    if (element_bits != 4 && element_bits != 8 && element_bits != 16 && element_bits != 32 && element_bits != 64)
        return status(status_code::invalid_argument, "elements of ")
               << element_bits << " bits are not converted; there are 4, 8, 16, 32 and 64";
    status s = check_conversion_pair(source, destination, chip.wave_size);
    if (s.ok() && limits.shared_bytes < 16)
        s = status(status_code::invalid_argument, "a conversion with ")
            << static_cast<long long>(limits.shared_bytes) << " bytes of shared memory; give at least 16";
    return s;
}

} // namespace tegula
