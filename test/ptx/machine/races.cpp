// Races of warps through shared memory. PTX ISA: "Memory Consistency Model: Causality order": accesses are ordered where
// one thread waits for a barrier or an mbarrier at which the other has arrived since, or acquires what the other released.
// Lanes of a warp and scopes are not told apart.

#include "decode.hpp"

#include <algorithm>

namespace ptx {

namespace {

std::string name_of(const warp& w, int number)
{
    const auto warps = static_cast<int>(w.of->warps.size());
    const std::string text = "warp " + std::to_string(number % warps);
    const int rank = number / warps;
    return rank == w.of->rank ? text : text + " of block " + std::to_string(rank) + " of the cluster";
}

[[noreturn]] void report(const warp& w, const place& at, std::uint64_t byte, const char* mine, int other,
                         const char* others)
{
    throw fault("a race: " + name_of(w, w.number) + " " + mine + " byte " + std::to_string(byte) + " of " +
                at.where->name + ", which " + name_of(w, other) + " " + others +
                "; no barrier or mbarrier is between the two");
}

/// Whether another warp, or that one alone, has written the byte and the warp does not know of it.
void check_written(const warp& w, const place& at, std::uint64_t byte, const char* mine)
{
    const race_record& r = at.where->accesses;
    const std::uint16_t by = r.written_by[byte];
    if (r.written_at[byte] > w.clock.shared[by] && by != w.number)
        report(w, at, byte, mine, by, "writes");
}

/// Checks against the last accesses of each warp, [warp][byte].
void check_others(const warp& w, const place& at, std::uint64_t size, const std::vector<std::uint32_t>& done_at,
                  const char* mine, const char* others)
{
    if (done_at.empty())
        return;
    const std::size_t bytes = at.where->bytes.size();
    for (std::size_t other = 0; other < w.clock.shared.size(); ++other)
        if (static_cast<int>(other) != w.number)
            for (std::uint64_t o = at.offset; o < at.offset + size; ++o)
                if (done_at[other * bytes + o] > w.clock.shared[other])
                    report(w, at, o, mine, static_cast<int>(other), others);
}

void note(const warp& w, const place& at, std::uint64_t size, std::vector<std::uint32_t>& done_at)
{
    const std::size_t bytes = at.where->bytes.size(), own = static_cast<std::size_t>(w.number);
    done_at.resize(bytes * w.clock.shared.size());
    std::fill_n(done_at.begin() + static_cast<std::ptrdiff_t>(own * bytes + at.offset), size, w.clock.shared[own]);
}

void learn_clock(warp_clock& known, const warp_clock& from)
{
    known.resize(std::max(known.size(), from.size()));
    for (std::size_t i = 0; i < from.size(); ++i)
        known[i] = std::max(known[i], from[i]);
}

} // namespace

void note_read(warp& w, const place& at, std::uint64_t size)
{
    race_record& r = at.where->accesses;
    if (r.written_at.empty())
        return;
    for (std::uint64_t o = at.offset; o < at.offset + size; ++o)
        check_written(w, at, o, "reads");
    if (!w.strong)
        check_others(w, at, size, r.strongly_written_at, "reads", "writes");
    note(w, at, size, w.strong ? r.strongly_read_at : r.read_at);
}

void note_write(warp& w, const place& at, std::uint64_t size, bool same)
{
    race_record& r = at.where->accesses;
    if (r.written_at.empty())
        return;
    check_others(w, at, size, r.read_at, "writes", "reads");
    if (!w.strong) {
        check_others(w, at, size, r.strongly_read_at, "writes", "reads");
        check_others(w, at, size, r.strongly_written_at, "writes", "writes");
    }
    const bool checked = !same || w.in().reports(level::pedantic); // two warps that write the same
    for (std::uint64_t o = at.offset; o < at.offset + size; ++o) {
        if (checked)
            check_written(w, at, o, "writes");
        if (w.strong)
            continue;
        r.written_at[o] = w.clock.shared[static_cast<std::size_t>(w.number)];
        r.written_by[o] = static_cast<std::uint16_t>(w.number);
    }
    if (w.strong)
        note(w, at, size, r.strongly_written_at);
}

void hand_over(warp& w, knowledge& to, bool relaxed)
{
    // Its accesses from now on are not handed over.
    learn_clock(to.tensor, w.clock.tensor);
    ++w.clock.tensor[static_cast<std::size_t>(w.number)];
    if (relaxed) { // what a fence before it releases
        learn_clock(to.shared, w.fenced.shared);
        return;
    }
    learn_clock(to.shared, w.clock.shared);
    ++w.clock.shared[static_cast<std::size_t>(w.number)];
}

void hand_over_core(warp& w, knowledge& to)
{
    const std::size_t core = w.clock.shared.size() + static_cast<std::size_t>(w.number);
    to.tensor.resize(w.clock.tensor.size());
    to.tensor[core] = std::max(to.tensor[core], w.core_clock);
    ++w.core_clock;
}

void learn(knowledge& known, const knowledge& from, bool relaxed)
{
    learn_clock(known.tensor, from.tensor);
    if (!relaxed)
        learn_clock(known.shared, from.shared);
}

access_order take_access_order(decoder& d, const std::string& otherwise)
{
    const std::string order =
        d.take_one({"weak", "relaxed", "acquire", "release", "acq_rel", "volatile", "mmio"}, otherwise);
    d.take_one({"cta", "cluster", "gpu", "sys"});
    return {order != "weak", order.starts_with("acq"), order == "release" || order == "acq_rel"};
}

void order_access(warp& w, const access_order& order, const place& at, bool reads, bool writes)
{
    race_record& r = at.where->accesses;
    if (r.written_at.empty() || !order.strong)
        return;
    const auto released = r.released.find(at.offset);
    if (reads && released != r.released.end())
        learn(order.acquires ? w.clock : w.heard, released->second);
    if (!writes)
        return;
    knowledge& handed_on = r.released[at.offset];
    if (!reads) // what others released there before is overwritten
        handed_on = {};
    if (order.releases)
        hand_over(w, handed_on);
    else
        learn(handed_on, w.fenced);
}

void order_by_fence(warp& w, bool acquires, bool releases)
{
    if (acquires) {
        learn(w.clock, w.heard);
        w.heard = {};
    }
    if (releases)
        hand_over(w, w.fenced);
}

} // namespace ptx
