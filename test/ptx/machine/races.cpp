// Races of warps through shared memory. PTX ISA: "Memory Consistency Model: Causality order": accesses are ordered where
// one thread waits for a barrier or an mbarrier at which the other has arrived since. Lanes of a warp are not told apart.

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

void check_write(const warp& w, const place& at, std::uint64_t byte, const char* mine)
{
    const race_record& r = at.where->accesses;
    const std::uint16_t by = r.written_by[byte];
    if (r.written_at[byte] > w.clock[by] && by != w.number)
        report(w, at, byte, mine, by, "writes");
}

} // namespace

void note_read(warp& w, const place& at, std::uint64_t size)
{
    race_record& r = at.where->accesses;
    if (r.written_at.empty())
        return;
    const auto own = static_cast<std::size_t>(w.number);
    std::uint32_t* const read_at = r.read_at.data() + own * r.written_at.size();
    for (std::uint64_t o = at.offset; o < at.offset + size; ++o) {
        check_write(w, at, o, "reads");
        read_at[o] = w.clock[own];
    }
}

void note_write(warp& w, const place& at, std::uint64_t size)
{
    race_record& r = at.where->accesses;
    if (r.written_at.empty())
        return;
    const std::size_t bytes = r.written_at.size();
    for (std::size_t other = 0; other < w.clock.size(); ++other)
        if (static_cast<int>(other) != w.number)
            for (std::uint64_t o = at.offset; o < at.offset + size; ++o)
                if (r.read_at[other * bytes + o] > w.clock[other])
                    report(w, at, o, "writes", static_cast<int>(other), "reads");
    for (std::uint64_t o = at.offset; o < at.offset + size; ++o) {
        check_write(w, at, o, "writes");
        r.written_at[o] = w.clock[static_cast<std::size_t>(w.number)];
        r.written_by[o] = static_cast<std::uint16_t>(w.number);
    }
}

void hand_over(warp& w, warp_clock& to)
{
    learn(to, w.clock);
    ++w.clock[static_cast<std::size_t>(w.number)]; // what it does from now on is not handed over
}

void learn(warp_clock& known, const warp_clock& from)
{
    known.resize(std::max(known.size(), from.size()));
    for (std::size_t i = 0; i < from.size(); ++i)
        known[i] = std::max(known[i], from[i]);
}

} // namespace ptx
