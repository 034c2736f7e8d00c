#pragma once

#include <tegula/emulator/global_checker.hpp>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace tegula::emulator::detail {

/// Bytes in flight to shared memory; they arrive when a lane has waited for the phase.
struct bulk_flight
{
    const char* action = ""; ///< as reports name it, such as "bulk load"
    std::byte* to = nullptr;
    const lane_state* issuer = nullptr;
    std::int64_t phase = 0; ///< phase of its mbarrier
    std::uint16_t site = 0; ///< line that issued it
    std::vector<std::byte> bytes;
    std::vector<std::pair<global_place, int>> sources; ///< writable global memory they are read from, row by row
};

/// In mbarrier::seen; waiting for the phase before the first, -1, is allowed and returns at once.
inline constexpr std::int64_t never_waited = -2;

/// An mbarrier of one block (PTX ISA, "mbarrier"): a phase is complete when all arrivals are in and all transactions
/// done. Phases are numbered from 0; the parity of a phase is its lowest bit.
struct mbarrier
{
    static constexpr std::int64_t max_count = (1 << 20) - 1; ///< arrivals, and bytes of transactions either way

    struct waiter
    {
        lane_state* lane;
        std::int64_t phase;
    };

    long offset = 0; ///< byte in shared memory
    int arrivals = 0;
    int pending = 0;               ///< arrivals to come in this phase
    std::int64_t transactions = 0; ///< bytes expected and not arrived in this phase
    std::int64_t phase = 0;        ///< the one that is open
    access_stamp init{};
    const lane_state* init_lane = nullptr;
    bool published = false; ///< a fence after the initialisation made it visible to the asynchronous proxy and to peers
    bool announced = false; ///< its initialiser went to a cluster barrier after that fence, releasing nothing else
    std::set<std::size_t> learnt; ///< the waves that came through that barrier
    std::int64_t serial = 0;      ///< unique in the cluster
    int timeline = 0;             ///< timeline of arrivals by transactions
    std::uint32_t ends[2] = {};   ///< times on it: ends of the last complete phase but one, and of the last
    knowledge released;           ///< in all phases so far
    knowledge completed;          ///< in the complete phases
    bool wide = false;            ///< lanes of other blocks have released stores to shared memory
    knowledge released_wide;      ///< these, for lanes that wait with the scope of a cluster
    knowledge completed_wide;
    std::vector<waiter> waiting;
    std::vector<waiter> woken; ///< have not seen their phase yet
    std::vector<bulk_flight> flights;
    std::vector<std::int64_t> seen; ///< by thread of the block: the newest phase it waited for

    static int parity(std::int64_t of_phase) { return static_cast<int>(of_phase & 1); }
    /// Whether waiting for that parity returns at once.
    bool passes(int of_parity) const { return parity(phase) != of_parity; }
    bool done() const { return pending == 0 && transactions == 0; }

    std::string name() const { return "the mbarrier at byte " + std::to_string(offset); }
    /// The arrivals and bytes that the open phase lacks.
    std::string missing() const
    {
        return std::to_string(pending) + " of " + std::to_string(arrivals) + " arrivals and " +
               std::to_string(transactions) + " bytes to come";
    }
};

/// "phase 3 (parity 1)".
inline std::string phase_text(std::int64_t phase)
{
    return "phase " + std::to_string(phase) + " (parity " + std::to_string(mbarrier::parity(phase)) + ")";
}

/// The mbarriers of one block.
class mbarrier_table
{
public:
    void clear() { all_.clear(); }
    mbarrier* find(long offset)
    {
        for (const auto& each : all_)
            if (each->offset == offset)
                return each.get();
        return nullptr;
    }
    mbarrier& add(long offset)
    {
        all_.push_back(std::make_unique<mbarrier>());
        all_.back()->offset = offset;
        return *all_.back();
    }
    void remove(const mbarrier& gone)
    {
        std::erase_if(all_, [&gone](const auto& each) { return each.get() == &gone; });
    }
    const std::vector<std::unique_ptr<mbarrier>>& all() const { return all_; }

    /// The copy in flight to that byte, and its mbarrier; null when none is.
    struct found_flight
    {
        const mbarrier* barrier = nullptr;
        const bulk_flight* flight = nullptr;
    };
    found_flight flight_to(const std::byte* address) const
    {
        for (const auto& each : all_)
            for (const bulk_flight& flight : each->flights)
                if (address >= flight.to && address < flight.to + flight.bytes.size())
                    return {each.get(), &flight};
        return {};
    }

private:
    std::vector<std::unique_ptr<mbarrier>> all_;
};

} // namespace tegula::emulator::detail
