#pragma once

// The least that any staging of a conversion through shared memory costs, by the planner's own count but with none of its
// choices: all vectors that there can be, and for each the conflicts that no placement of the rest avoids.

#include <tegula/conversion/conversion_plan.hpp>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <set>
#include <vector>

namespace exhaustive {

using namespace tegula;

/// A part of the tile that one place in memory can count by itself, and what each side (0: source, 1: destination) makes
/// of it.
struct part
{
    int x_dim = 0;
    long x_stride = 1;
    long length = 1;
    long run[2] = {1, 1};         ///< of its first elements, in registers
    bool in_lanes[2] = {};        ///< whether lanes of one wave differ in it
    std::array<long, 64> of[2]{}; ///< what each lane of the first wave chooses
};

inline std::vector<part> parts_of(const conversion_digits& both, int wave_size)
{
    const held_tile* const tiles[] = {&both.source, &both.destination};
    std::vector<part> parts;
    for (int x = 0; x < encoding_value::max_x; ++x) {
        std::set<long> cuts[2];
        for (int side : {0, 1})
            for (const held_digit& d : tiles[side]->digits)
                if (d.x_dim == x)
                    cuts[side].insert({d.x_stride, d.x_end()});
        std::vector<long> common;
        std::set_intersection(cuts[0].begin(), cuts[0].end(), cuts[1].begin(), cuts[1].end(),
                              std::back_inserter(common));
        for (std::size_t i = 0; i + 1 < common.size(); ++i) {
            part p;
            p.x_dim = x;
            p.x_stride = common[i];
            p.length = common[i + 1] / common[i];
            for (int side : {0, 1}) {
                bool registers = true;
                for (long at = common[i]; at < common[i + 1];)
                    for (const held_digit& d : tiles[side]->digits) {
                        if (d.x_dim != x || d.x_stride != at)
                            continue;
                        registers = registers && !d.in_thread;
                        p.run[side] *= registers ? d.length : 1;
                        if (d.in_thread && d.stride < wave_size)
                            p.in_lanes[side] = true;
                        for (int lane = 0; d.in_thread && lane < wave_size; ++lane)
                            p.of[side][static_cast<std::size_t>(lane)] += d.value_of(lane) * (at / common[i]);
                        at = d.x_end();
                        break;
                    }
            }
            parts.push_back(p);
        }
    }
    return parts;
}

class search
{
public:
    search(const chip_info& chip, const conversion_digits& both, int slot_bits)
        : chip_(chip), both_(both), bits_(slot_bits), limit_(128 / slot_bits), parts_(parts_of(both, chip.wave_size)),
          used_(parts_.size()), strides_(parts_.size())
    {
        for (int side : {0, 1})
            for (int lane = 0; lane < chip.wave_size; ++lane)
                active_[side] |= std::uint64_t{side == 1 || is_first_copy(both.source, lane)} << lane;
    }

    /// No layout costs less, be it of rows or swizzled.
    long bound()
    {
        least_ = LONG_MAX;
        choose_caps([&] { take_block(); });
        return least_;
    }
    /// The cost of the best layout of rows, if that is less than `limit`; otherwise the limit. Every stride of every part
    /// is tried, as far as banks can tell.
    long rows_below(long limit)
    {
        least_ = limit;
        choose_caps([&] { place_rest(); });
        return least_;
    }
    long tried = 0;
    long most = 20'000; ///< to be tried

private:
    const held_tile& tile(int side) const { return side == 0 ? both_.source : both_.destination; }
    static access_kind kind(int side) { return side == 0 ? access_kind::store : access_kind::load; }

    /// Every pair of caps of the vectors, and every block. Vectors shorter than the block allows may conflict less.
    template <class F>
    void choose_caps(const F& visit)
    {
        for (cap_[0] = limit_; cap_[0] > 0; cap_[0] /= 2)
            for (cap_[1] = limit_; cap_[1] > 0; cap_[1] /= 2)
                choose_vectors(0, [&] {
                    if (caps_matter())
                        visit();
                });
    }
    /// Whether each cap shortens its side's vector; otherwise a larger cap gives the same.
    bool caps_matter() const
    {
        for (int side : {0, 1})
            if (cap_[side] < limit_ && run_of(side) <= cap_[side])
                return false;
        return true;
    }
    /// Elements of an access.
    long vector(int side) const { return std::min(cap_[side], run_of(side)); }
    /// The largest power of two in the elements that registers of a side count at the start of the block.
    long run_of(int side) const
    {
        long run = 1;
        for (std::size_t i : block_) {
            run *= parts_[i].run[side];
            if (parts_[i].run[side] != parts_[i].length)
                break;
        }
        return run & -run;
    }
    bool goes_on(int side) const
    {
        return std::all_of(block_.begin(), block_.end(),
                           [&](std::size_t i) { return parts_[i].run[side] == parts_[i].length; });
    }

    /// Every set of parts at the start of memory: those that both sides count in registers first, each kind in order.
    template <class F>
    void choose_vectors(std::size_t first, const F& visit)
    {
        visit();
        const bool common = goes_on(0) && goes_on(1);
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if (used_[i])
                continue;
            const part& p = parts_[i];
            const bool is_common = p.run[0] == p.length && p.run[1] == p.length;
            bool longer = false;
            for (int side : {0, 1})
                longer |= goes_on(side) && p.run[side] % 2 == 0 && vector(side) < cap_[side];
            if (!longer || (is_common && (!common || i < first)) || (!is_common && !common && i < first))
                continue;
            used_[i] = true;
            block_.push_back(i);
            choose_vectors(common && !is_common ? 0 : i, visit);
            block_.pop_back();
            used_[i] = false;
        }
    }

    long cost_without_conflicts() const
    {
        long cost = 0;
        for (int side : {0, 1})
            cost += access_cycles(chip_, tile(side), kind(side), static_cast<index_t>(vector(side)), bits_);
        return cost;
    }
    void take_block()
    {
        long cost = cost_without_conflicts();
        for (int side : {0, 1})
            if (cost < least_)
                cost += 2 * tile(side).registers / vector(side) * unavoidable(side, std::max(vector(0), vector(1)));
        least_ = std::min(least_, cost);
    }

    using addresses = std::array<std::array<index_t, 64>, 2>;

    void place_rest()
    {
        if (cost_without_conflicts() >= least_)
            return;
        addresses at{};
        long span = 1;
        for (std::size_t i : block_) {
            add(at, parts_[i], span);
            strides_[i] = span;
            span *= parts_[i].length;
        }
        place(at, 0, span);
    }
    void add(addresses& at, const part& p, long stride) const
    {
        for (std::size_t side : {0, 1})
            for (std::size_t lane = 0; lane < static_cast<std::size_t>(chip_.wave_size); ++lane)
                at[side][lane] += static_cast<index_t>(p.of[side][lane] * stride);
    }
    /// By the access of register 0. Those of other registers, if accesses are less than a word, may lie elsewhere in their
    /// words: the least of these.
    long least_cost_of(const addresses& at) const
    {
        long cost = cost_without_conflicts();
        for (int side : {0, 1}) {
            const long shifts = std::max(1L, 32 / (vector(side) * bits_));
            long least = LONG_MAX;
            for (long shift = 0; shift < shifts && least > 0; ++shift) {
                auto bytes = at[static_cast<std::size_t>(side)];
                for (index_t& address : bytes)
                    address = static_cast<index_t>((address + shift * vector(side)) * bits_ / 8);
                least =
                    std::min<long>(least, conflict_cycles(chip_, kind(side), static_cast<int>(vector(side) * bits_ / 8),
                                                          bytes.data(), active_[side]));
            }
            cost += 2 * (tile(side).registers / vector(side)) * least;
        }
        return cost;
    }
    /// The planner's own count. Registers of both sides that are in no vector stand behind the `span` elements of the rest.
    long cost_of_layout(long span)
    {
        const long unit = std::max({vector(0), vector(1), 32 / bits_});
        for (std::size_t i = 0; i < parts_.size(); ++i)
            if (!used_[i] && !parts_[i].in_lanes[0] && !parts_[i].in_lanes[1]) {
                strides_[i] = (span + unit - 1) / unit * unit;
                span = strides_[i] * parts_[i].length;
            }
        long elements = 1;
        for (std::size_t i = 0; i < parts_.size(); ++i)
            elements += strides_[i] * (parts_[i].length - 1);
        if (elements * bits_ / 8 > chip_.shared_bytes)
            return LONG_MAX; // it would pass in chunks, with more barriers
        shared_staging p;
        p.slot_bits = static_cast<int>(bits_);
        p.elements = p.chunk = static_cast<index_t>(span);
        for (int side : {0, 1}) {
            staging_side& of_side = side == 0 ? p.store : p.load;
            for (const held_digit& d : tile(side).digits)
                for (std::size_t i = 0; i < parts_.size(); ++i)
                    if (d.x_dim == parts_[i].x_dim && d.x_stride >= parts_[i].x_stride &&
                        d.x_stride < parts_[i].x_stride * parts_[i].length)
                        of_side.offsets.push_back(static_cast<index_t>(d.x_stride / parts_[i].x_stride * strides_[i]));
            of_side.run = detail::longest_run(tile(side), of_side);
            of_side.vector = detail::longest_vector(tile(side), of_side, static_cast<index_t>(cap_[side]));
        }
        return static_cast<long>(staging_cost(chip_, p, both_));
    }
    /// Part i and those behind it, past the `span` elements of the parts before.
    void place(const addresses& at, std::size_t i, long span)
    {
        if (++tried > most)
            return;
        const long cost = least_cost_of(at);
        if (cost >= least_)
            return; // what later parts tell apart only adds to the cost
        while (i < parts_.size() && (used_[i] || !(parts_[i].in_lanes[0] || parts_[i].in_lanes[1])))
            ++i;
        if (i == parts_.size()) {
            least_ = std::min(least_, cost_of_layout(span));
            return;
        }
        const long unit = std::max(vector(0), vector(1)), row = 32 * chip_.shared_banks / bits_;
        for (long pad = 0; pad < row && tried <= most && cost < least_; pad += unit) {
            const long stride = (span + unit - 1) / unit * unit + pad;
            addresses next = at;
            strides_[i] = stride;
            add(next, parts_[i], stride);
            place(next, i + 1, stride * parts_[i].length);
        }
    }

    /// Extra cycles of an access, wherever the widest vectors stand: lanes that touch one part of different ones need a row
    /// of the banks each time as many of them have passed as fit into a row.
    long unavoidable(int side, long widest) const
    {
        if (widest * bits_ < 32)
            return 0;
        const long own = vector(side);
        const bank_rule rule = find_bank_rule(chip_, kind(side), static_cast<int>(own * bits_ / 8));
        const long fit = std::max(1L, rule.banks * chip_.bank_bytes * 8 / (widest * bits_));
        const long piece = std::max(own, long{32} / bits_); // lanes of one word do not conflict
        long extra = 0;
        for (int first = 0; first < chip_.wave_size; first += 32)
            for (int phase = 0; phase < rule.phases; ++phase) {
                std::set<std::vector<long>> vectors[32];
                for (int lane = first; lane < first + 32; ++lane) {
                    if ((rule.lanes[phase] >> (lane - first) & 1) == 0 || (active_[side] >> lane & 1) == 0)
                        continue;
                    long offset = 0, scale = 1;
                    for (std::size_t i : block_) {
                        offset += parts_[i].of[side][static_cast<std::size_t>(lane)] * scale;
                        scale *= parts_[i].length;
                    }
                    std::vector<long> place{offset / widest};
                    for (std::size_t i = 0; i < parts_.size(); ++i)
                        if (!used_[i])
                            place.push_back(parts_[i].of[side][static_cast<std::size_t>(lane)]);
                    vectors[offset % widest / piece].insert(place);
                }
                std::size_t most = 0;
                for (const auto& v : vectors)
                    most = std::max(most, v.size());
                extra += std::max(0L, (static_cast<long>(most) + fit - 1) / fit - 1);
            }
        return extra;
    }

    const chip_info& chip_;
    const conversion_digits& both_;
    long bits_;
    long limit_;
    long cap_[2] = {}; ///< most elements of an access
    std::vector<part> parts_;
    std::vector<bool> used_;
    std::vector<long> strides_; ///< of the parts that have a place
    std::vector<std::size_t> block_;
    std::uint64_t active_[2] = {};
    long least_ = LONG_MAX;
};

} // namespace exhaustive
