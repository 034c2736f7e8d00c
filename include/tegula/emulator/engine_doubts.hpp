#pragma once

// The members of the engine that run a cluster again to find values made from unwritten registers.

#include <tegula/emulator/engine.hpp>

#include <optional>

namespace tegula::emulator::detail {

inline void engine::check_value(lane_state& me, const void* value, int bytes, const char* action)
{
    if (values_.looks_at(me.wave->unset) && !values_.agrees(cluster_.number_of(me), value, bytes))
        blame_value(me, bytes, action);
    if (!doubtful_ && may_be_unset(me, value, bytes))
        doubtful_ = looks_unset(me, value, bytes);
}

[[gnu::noinline]] inline void engine::blame_value(lane_state& me, int bytes, const char* action)
{
    const bool unset = poison_->unset != poison::first.unset;
    record(me, {size_text(action, bytes) + " of a register that " +
                    (unset ? "was never written"
                           : std::string(loads_tensors() ? "a tcgen05.ld" : "a wgmma") + " has in flight"),
                unset             ? "write every element of a tile before it is used: clear it, or load it"
                : loads_tensors() ? "call tcgen05.wait::ld before the registers are read"
                                  : "wait for the product's group before its accumulators are read",
                fault_kind::unset});
    abandon();
}

/// A quick test, false for nearly all values: their exponents are not in the largest sixteenth, as those of NaN are.
inline bool engine::may_be_unset(const lane_state& me, const void* value, int bytes)
{
    const int element = me.label.tensor != nullptr ? me.label.element_bytes : 0;
    if (element == 1 || bytes < 4 || (me.wave->unset & ~some_unset) != 0)
        return true;
    const std::uint64_t ones = element == 2 ? 0x7c007c007c007c00 : 0x7c0000007c000000;
    const std::uint64_t least = element == 2 ? 0x0001000100010001 : 0x0001000000010000;
    const auto has_ones = [&](std::uint64_t words) {
        const std::uint64_t missing = (words & ones) ^ ones; // zero where all of them are set
        return ((missing - least) & ~missing & least << 15) != 0;
    };
    if (bytes == 4) {
        std::uint32_t word;
        std::memcpy(&word, value, 4);
        return has_ones(word);
    }
    for (int i = 0; i + 8 <= bytes; i += 8) {
        std::uint64_t words;
        std::memcpy(&words, static_cast<const std::byte*>(value) + i, 8);
        if (has_ones(words))
            return true;
    }
    return false;
}

/// Tests for the patterns themselves, and for what arithmetic makes of them.
[[gnu::noinline]] inline bool engine::looks_unset(const lane_state& me, const void* value, int bytes)
{
    const int element = me.label.tensor == nullptr || me.label.element_bytes == 0 ? bytes : me.label.element_bytes;
    const auto* at = static_cast<const std::byte*>(value);
    if (element == 1) {
        for (int i = 0; i < bytes && (me.wave->unset & bytes_unset) != 0; ++i)
            if (poison::looks_like_byte(static_cast<std::uint8_t>(at[i])))
                return true;
        return false;
    }
    if (element == 2) {
        for (int i = 0; i + 2 <= bytes; i += 2) {
            std::uint16_t word;
            std::memcpy(&word, at + i, 2);
            if (poison::looks_like_half(word))
                return true;
        }
        return false;
    }
    for (int i = 0; i + 4 <= bytes; i += 4) {
        std::uint32_t word;
        std::memcpy(&word, at + i, 4);
        if (poison::looks_like_word(word))
            return true;
    }
    return false;
}

inline failure engine::run_cluster(long number, long turn, cluster_line* line)
{
    const counters before = cluster_.totals;
    const std::optional<cluster_line> line_before = line == nullptr ? std::nullopt : std::optional(*line);
    const auto run = [&](const poison_words& words, value_log::mode mode, bool all) {
        values_.begin(mode, all);
        poison_ = &words;
        return run_once(number, turn, line);
    };
    doubtful_ = false;
    // One cluster of a launch is compared whenever its arithmetic may hide patterns.
    const bool compares = number == 0 && plan_->checks && !looks_out_;
    failure first = run(poison::first, compares ? value_log::mode::record : value_log::mode::off, false);
    std::uint8_t unset = 0;
    for (const wave_state& wave : cluster_.waves)
        unset |= wave.unset;
    const bool declared = (unset & some_unset) != 0;
    const bool outside = declared && first.happened && first.misuse.kind == fault_kind::out_of_bounds;
    const bool hidden = compares && (unset & (integers_unset | integers_in_flight)) != 0;
    const bool compared = plan_->checks && met_nan_ && (declared || runs_clusters());
    doubtful_ = doubtful_ || compared;
    if (looks_out_ || !(doubtful_ || hidden || outside))
        return first;

    const bool flights = runs_clusters() && (doubtful_ || (unset & integers_in_flight) != 0);
    const bool all = doubtful_ || outside; // not only values from waves with integers
    const auto run_again = [&](const poison_words& words, value_log::mode mode) {
        cluster_.global.undo().restore();
        cluster_.totals = before;
        if (line != nullptr)
            *line = *line_before;
        return run(words, mode, all);
    };
    if (all && (declared || flights))
        first = run_again(poison::first, value_log::mode::record);
    if (declared) {
        failure second = run_again(poison::other_unset, value_log::mode::compare);
        if (compared && !values_.differs())
            second = run_again(poison::negative_unset, value_log::mode::compare);
        if (values_.differs())
            return second;
        if (outside && (second.misuse.what != first.misuse.what || second.who != first.who)) {
            first.misuse.what += "; the address was made from a register that was never written";
            first.misuse.remedy = "write every element of a tile before it is used as an index";
            return first;
        }
        first = second;
    }
    if (flights)
        first = run_again(poison::other_in_flight, value_log::mode::compare);
    return flights && compared && !values_.differs() ? run_again(poison::negative_in_flight, value_log::mode::compare)
                                                     : first;
}

} // namespace tegula::emulator::detail
