#pragma once

#include <tegula/conversion/conversion_digits.hpp>

namespace tegula {

/// A conversion inside waves as the factors of a permutation of digits: registers renamed, lanes permuted, and register
/// bits swapped with lane bits.
///
/// Everything is named by strides. A register bit r is (n / r) % 2 of register number n, a thread bit (t / b) % 2.
/// Register n of the destination comes from lane source_lane(lane) ^ lane_mask(n). The source lane exchanges its
/// registers by its own bits before the shuffle, the destination lane by its own bits after it:
///
///   swaps    a register bit of the source goes to a lane bit, a lane bit to a register bit of the destination. All are
///            done at once: in the round whose bits are k, the source sends register bits k ^ own, the destination
///            stores the value in k ^ own. One swap is select, shuffle_xor, select.
///   picks    a register digit of the source goes to a thread digit, and the source is replicated: each copy sends
///            the register that its own digit names
///   choices  a register bit of the source goes to a lane bit for which no lane is left to send it: both halves are
///            read, and the lane takes its own
///   spreads  a lane bit goes to a register bit of the destination, which is replicated: all lanes read one lane
struct lane_exchange
{
    struct kept_digit
    {
        index_t length;
        index_t source;      ///< stride in the registers of the source
        index_t destination; ///< stride in the registers of the destination
    };
    struct swapped_bits
    {
        index_t source_register;
        index_t destination_register;
        index_t source_lane;      ///< lane bit that becomes destination_register
        index_t destination_lane; ///< lane bit that source_register becomes
    };
    struct picked_digit
    {
        index_t source_register;
        index_t thread; ///< the source's own thread digit
        index_t length; ///< length of the digit
    };
    struct chosen_bit
    {
        index_t source_register;
        index_t destination_lane;
    };
    struct spread_bit
    {
        index_t source_lane;
        index_t destination_register;
    };
    struct moved_bit
    {
        index_t destination_thread; ///< a lane bit, or a digit of the wave: every wave holds what others read there
        index_t source_lane;
    };

    bool possible = true;
    static_vector<kept_digit, held_tile::max_digits> kept;
    static_vector<swapped_bits, 6> swaps;
    static_vector<picked_digit, 12> picks;
    static_vector<chosen_bit, 6> choices;
    static_vector<spread_bit, 6> spreads;
    static_vector<moved_bit, 6> moves;
    int packed = 0; ///< this many first kept digits have length 2 and travel together in one word

    constexpr index_t words_together() const { return index_t{1} << packed; }

    /// The lane that holds the elements `thread` needs, before lane_mask() is applied.
    constexpr index_t source_lane(index_t thread) const
    {
        index_t from = 0;
        for (const moved_bit& m : moves)
            from |= (thread / m.destination_thread & 1) * m.source_lane;
        return from;
    }
    constexpr index_t lane_mask(index_t destination_register) const
    {
        index_t mask = 0;
        for (const swapped_bits& s : swaps)
            mask |= (destination_register / s.destination_register & 1) * s.source_lane;
        for (const spread_bit& s : spreads)
            mask |= (destination_register / s.destination_register & 1) * s.source_lane;
        return mask;
    }
    /// Register of the source, after its exchanges, that becomes a register of the destination.
    constexpr index_t source_register(index_t destination_register) const
    {
        index_t n = 0;
        for (const kept_digit& k : kept)
            n += destination_register / k.destination % k.length * k.source;
        for (const swapped_bits& s : swaps)
            n += (destination_register / s.destination_register & 1) * s.source_register;
        return n;
    }
    constexpr index_t halves() const { return index_t{1} << choices.size(); }
    /// Distance from source_register() to the register that holds `half` of the choices, one bit for each choice.
    constexpr index_t choice_offset(index_t half) const
    {
        index_t offset = 0;
        for (int i = 0; i < choices.size(); ++i)
            offset += (half >> i & 1) * choices[i].source_register;
        return offset;
    }
    /// Whether every lane reads itself, apart from lane_mask().
    constexpr bool lanes_stay() const
    {
        for (const moved_bit& m : moves)
            if (m.destination_thread != m.source_lane)
                return false;
        return spreads.empty();
    }
    constexpr bool is_shuffled(index_t destination_register) const
    {
        return !lanes_stay() || lane_mask(destination_register) != 0;
    }
    /// Whether registers are only renamed.
    constexpr bool is_renaming() const { return lanes_stay() && swaps.empty() && picks.empty() && choices.empty(); }
};

namespace detail {

/// The digits that leave the registers or enter them, before they are paired.
struct exchange_builder
{
    struct change
    {
        index_t from;
        index_t to;
        bool done = false;
    };

    index_t wave = 1;
    bool lanes_fixed = false; ///< a digit that is no bit stays in the lanes: no lane may read another lane
    lane_exchange plan;
    static_vector<change, 16> to_threads;    // register of the source -> thread of the destination
    static_vector<change, 8> to_registers;   // lane of the source -> register of the destination
    static_vector<change, 8> free_of_source; // lane bits of the source that only tell copies apart

    constexpr bool is_bit(const held_digit& d) const { return d.length == 2 && (d.stride & (d.stride - 1)) == 0; }

    constexpr void add(const held_digit& s, const held_digit& d)
    {
        if (!s.in_thread && !d.in_thread)
            plan.kept.push_back({s.length, s.stride, d.stride});
        else if (!s.in_thread)
            add_to_thread(s, d);
        else if (s.stride >= wave)
            stay_in_wave(s, d);
        else if (d.in_thread && d.stride == s.stride && !is_bit(s))
            lanes_fixed = true;
        else if (!is_bit(s))
            plan.possible = false;
        else if (!d.in_thread)
            to_registers.push_back({s.stride, d.stride});
        else if (d.length == 2 && (d.stride >= wave || is_bit(d)))
            plan.moves.push_back({d.stride, s.stride});
        else
            plan.possible = false;
    }
    /// A digit whose stride is no multiple of the wave size differs between the lanes of one wave.
    constexpr void stay_in_wave(const held_digit& s, const held_digit& d)
    {
        plan.possible &= d.in_thread && d.stride == s.stride;
        lanes_fixed |= s.stride % wave != 0;
    }
    constexpr void add_to_thread(const held_digit& s, const held_digit& d)
    {
        plan.possible &= !to_threads.overflowed() && !plan.picks.overflowed();
        lanes_fixed |= d.stride >= wave ? d.stride % wave != 0 : !is_bit(d);
        if (d.stride >= wave || !is_bit(d))
            plan.picks.push_back({s.stride, d.stride, d.length});
        else
            to_threads.push_back({s.stride, d.stride});
    }

    static constexpr change* find(auto& list, index_t from)
    {
        for (change& c : list)
            if (!c.done && (from == 0 || c.from == from))
                return &c;
        return nullptr;
    }

    constexpr bool pick_by(change& v, index_t free_bit)
    {
        change* own = find(free_of_source, free_bit);
        if (own == nullptr)
            return false;
        plan.picks.push_back({v.from, own->from, 2});
        plan.moves.push_back({v.to, own->from});
        own->done = v.done = true;
        return true;
    }
    constexpr bool swap_with(change& v, index_t lane_bit)
    {
        change* u = find(to_registers, lane_bit);
        if (u == nullptr)
            return false;
        plan.swaps.push_back({v.from, u->to, u->from, v.to});
        plan.moves.push_back({v.to, u->from});
        u->done = v.done = true;
        return true;
    }

    /// Changes that stay in place come first: a copy whose lane bit is the destination's own, then a swap with that
    /// lane bit.
    constexpr void pair_changes()
    {
        for (change& v : to_threads)
            if (!pick_by(v, v.to))
                swap_with(v, v.to);
        for (change& v : to_threads)
            if (!v.done && !swap_with(v, 0) && !pick_by(v, 0))
                plan.choices.push_back({v.from, v.to});
        for (const change& u : to_registers)
            if (!u.done)
                plan.spreads.push_back({u.from, u.to});
        for (const change& f : free_of_source)
            if (!f.done)
                plan.moves.push_back({f.from, f.from});
        plan.possible &= !lanes_fixed || (plan.lanes_stay() && plan.swaps.empty() && plan.choices.empty());
    }
};

/// Bits of the lane number that no digit of the tile uses; none if its digits are not bits.
constexpr void find_free_lane_bits(exchange_builder& builder, const held_tile& source)
{
    for (index_t bit = 1; bit < builder.wave; bit *= 2) {
        bool used = builder.lanes_fixed;
        for (const held_digit& d : source.digits)
            used |= d.in_thread && d.stride <= bit && bit < d.end();
        if (!used)
            builder.free_of_source.push_back({bit, 0});
    }
}

/// Puts digits that can share a 32-bit word in front.
constexpr void choose_packed(lane_exchange& plan, int element_bits)
{
    for (int i = 0; i < plan.kept.size() && (element_bits << (plan.packed + 1)) <= 32; ++i)
        if (plan.kept[i].length == 2) {
            const lane_exchange::kept_digit front = plan.kept[plan.packed];
            plan.kept[plan.packed++] = plan.kept[i];
            plan.kept[i] = front;
        }
}

} // namespace detail

/// The exchange between two sides, if there is one: `possible` is false if elements change the wave, or if
/// digits that move are no bits.
constexpr lane_exchange plan_lane_exchange(const conversion_digits& both, int wave_size, int element_bits)
{
    detail::exchange_builder builder;
    builder.wave = wave_size;
    builder.plan.possible = both.refined;
    for (int i = 0; builder.plan.possible && i < both.source.digits.size(); ++i)
        builder.add(both.source.digits[i], both.destination.digits[i]);
    if (!builder.plan.possible)
        return builder.plan;
    detail::find_free_lane_bits(builder, both.source);
    builder.pair_changes();
    detail::choose_packed(builder.plan, element_bits);
    return builder.plan;
}

/// Lane exchanges of 32 bits that the plan takes for all registers of the destination.
constexpr int count_shuffles(const lane_exchange& plan, index_t registers, int element_bits)
{
    // If lanes stay, the registers whose bits name no other lane need no shuffle.
    const index_t still = plan.lanes_stay() ? registers >> plan.swaps.size() : 0;
    const int shuffled = static_cast<int>((registers - still) * plan.halves());
    const int words = static_cast<int>((element_bits * plan.words_together() + 31) / 32);
    return shuffled / static_cast<int>(plan.words_together()) * words;
}

} // namespace tegula
