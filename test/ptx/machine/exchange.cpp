// Exchange between lanes of a warp. PTX ISA: "Data Movement and Conversion Instructions": shfl.sync; "Parallel
// Synchronization and Communication Instructions": vote.sync, match.sync, redux.sync, activemask, elect.sync.

#include "decode.hpp"

#include <utility>

namespace ptx {

namespace {

/// The lanes that must execute the instruction together.
void take_members(decoder& d, std::size_t i)
{
    const source s = d.from(i, 32);
    d.result().members = s.reg;
    d.result().fixed_members = static_cast<lane_mask>(s.constant[0]);
}

/// "shfl.sync": from a lane that does not take part comes no value.
action shuffle(decoder& d)
{
    d.take("sync");
    const std::string mode = d.take_one({"idx", "up", "down", "bfly"});
    d.take("b32");
    const std::vector<destination> to = d.list_to(0);
    const source a = d.from(1, 32), b = d.from(2, 32), c = d.from(3, 32);
    take_members(d, 4);
    return [=](warp& w, lane_mask mask) {
        std::uint64_t values[lanes];
        std::uint8_t poison[lanes];
        for (int lane = 0; lane < lanes; ++lane) {
            values[lane] = a.values(w)[lane];
            poison[lane] = a.poison(w)[lane];
        }
        each_lane(mask, [&](int lane) {
            const int offset = static_cast<int>(b.checked(w, lane, "the lane of shfl") & 31);
            const auto limits = static_cast<int>(c.checked(w, lane, "the limits of shfl"));
            const int segment = limits >> 8 & 31, clamp = limits & 31;
            const int highest = (lane & segment) | (clamp & ~segment), lowest = lane & segment;
            int from = lane;
            bool inside = true;
            if (mode == "up") {
                from = lane - offset;
                inside = from >= highest;
            } else if (mode == "down") {
                from = lane + offset;
                inside = from <= highest;
            } else if (mode == "bfly") {
                from = lane ^ offset;
                inside = from <= highest;
            } else {
                from = lowest | (offset & ~segment);
                inside = from <= highest;
            }
            if (!inside)
                from = lane;
            const bool takes_part = mask >> from & 1;
            to[0].write(w, lane, values[from], takes_part ? poison[from] : 0xff);
            if (to.size() > 1)
                to[1].write(w, lane, inside);
        });
        return outcome::next;
    };
}

/// "vote.sync".
action vote(decoder& d)
{
    d.take("sync");
    const std::string mode = d.take_one({"all", "any", "uni", "ballot"});
    d.take_one({"pred", "b32"});
    const destination to = d.to(0);
    const predicate p = d.test(1);
    take_members(d, 2);
    return [=](warp& w, lane_mask mask) {
        lane_mask yes = 0;
        each_lane(mask,
                  [&](int lane) { yes |= static_cast<lane_mask>(p.of(w, lane, "the predicate of vote")) << lane; });
        const std::uint64_t result = mode == "all"   ? yes == mask
                                     : mode == "any" ? yes != 0
                                     : mode == "uni" ? yes == 0 || yes == mask
                                                     : yes;
        each_lane(mask, [&](int lane) { to.write(w, lane, result); });
        return outcome::next;
    };
}

/// "match.sync".
action match(decoder& d)
{
    const bool all = d.take_one({"any", "all"}) == "all";
    d.take("sync");
    const int bits = parse_type(d.take_type()).bits;
    const std::vector<destination> to = d.list_to(0);
    const source a = d.from(1, bits);
    take_members(d, 2);
    return [=](warp& w, lane_mask mask) {
        std::array<lane_mask, lanes> equal{};
        each_lane(mask, [&](int i) {
            each_lane(mask, [&](int j) {
                const bool same = a.checked(w, i, "the value of match") == a.checked(w, j, "the value of match");
                equal[static_cast<std::size_t>(i)] |= static_cast<lane_mask>(same) << j;
            });
        });
        each_lane(mask, [&](int lane) {
            const lane_mask own = equal[static_cast<std::size_t>(lane)];
            to[0].write(w, lane, all ? (own == mask ? mask : 0) : own);
            if (to.size() > 1)
                to[1].write(w, lane, own == mask);
        });
        return outcome::next;
    };
}

/// "redux.sync".
action reduce(decoder& d)
{
    d.take("sync");
    const std::string op = d.take_one({"add", "min", "max", "and", "or", "xor"});
    const bool is_signed = d.take_type() == "s32";
    const destination to = d.to(0);
    const source a = d.from(1, 32);
    take_members(d, 2);
    return [=](warp& w, lane_mask mask) {
        std::uint8_t poison = 0;
        bool first = true;
        std::uint32_t sum = 0;
        each_lane(mask, [&](int lane) {
            poison |= spread(a.poison(w)[lane]);
            const auto x = static_cast<std::uint32_t>(a.values(w)[lane]);
            const bool less = is_signed ? static_cast<std::int32_t>(x) < static_cast<std::int32_t>(sum) : x < sum;
            if (std::exchange(first, false))
                sum = x;
            else if (op == "min" || op == "max")
                sum = less == (op == "min") ? x : sum;
            else
                sum = op == "add" ? sum + x : op == "and" ? sum & x : op == "or" ? sum | x : sum ^ x;
        });
        each_lane(mask, [&](int lane) { to.write(w, lane, sum, poison); });
        return outcome::next;
    };
}

/// "elect.sync": which lane leads is left open, but for one mask it is always the same.
action elect(decoder& d)
{
    d.take("sync");
    const std::vector<destination> to = d.list_to(0);
    take_members(d, 1);
    return [=](warp& w, lane_mask mask) {
        const int count = std::popcount(mask);
        lane_mask left = mask;
        const bool any = w.in().reports(level::portability);
        for (auto skip = any ? static_cast<int>((w.in().options.seed * 7 + mask % 31) % static_cast<unsigned>(count))
                             : 0;
             skip > 0; --skip)
            left &= left - 1;
        const int leader = std::countr_zero(left);
        each_lane(mask, [&](int lane) {
            to[0].write(w, lane, static_cast<std::uint64_t>(leader));
            if (to.size() > 1)
                to[1].write(w, lane, lane == leader);
        });
        return outcome::next;
    };
}

/// "activemask".
action active_mask(decoder& d)
{
    d.take("b32");
    const destination to = d.to(0);
    return [to](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) { to.write(w, lane, mask); });
        return outcome::next;
    };
}

} // namespace

void add_exchange(decoder_table& table)
{
    table["shfl"] = shuffle;
    table["vote"] = vote;
    table["match"] = match;
    table["redux"] = reduce;
    table["elect"] = elect;
    table["activemask"] = active_mask;
}

} // namespace ptx
