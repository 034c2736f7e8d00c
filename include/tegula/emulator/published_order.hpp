#pragma once

#include <tegula/core/call_site.hpp>
#include <tegula/emulator/global_traffic.hpp>
#include <tegula/emulator/vector_clock.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace tegula::emulator::detail {

/// The accesses of a launch's clusters that have ended, and those that they released to the whole GPU by fences and
/// atomic operations. Clusters get their turns in order, so that one at a time reads this.
class published_order
{
public:
    /// Accesses of one lane, or of lanes of one wave at the same time, to bytes of a group of ranges.
    struct access
    {
        std::size_t begin = 0;
        std::size_t end = 0;
        int group = 0;
        traffic_kind kind{};
        std::uint8_t timeline = 0;
        std::uint32_t time = 0;
        std::uint64_t lanes = 0;
        long cluster = 0;
        call_site where{};
        std::string who; ///< block and wave
    };

    /// Whether no cluster took part.
    bool empty() const { return empty_; }
    // By a cluster that ends

    void begin() { empty_ = false; }
    void add(const access& a)
    {
        for (std::size_t chunk = a.begin / chunk_bytes; chunk * chunk_bytes < a.end; ++chunk)
            accesses_[key(a.group, chunk)].push_back(a);
    }
    void add_release(long cluster, const void* place, std::shared_ptr<const knowledge> known)
    {
        places_[place].push_back(static_cast<std::uint32_t>(releases_.size()));
        releases_.push_back({cluster, std::move(known)});
    }

    // By one that runs

    /// Appends the numbers of the releases at the place.
    void add_releases(const void* place, std::vector<std::uint32_t>& to) const
    {
        if (const auto at = places_.find(place); at != places_.end())
            to = at->second; // an atomic operation carries on the releases of those before it
    }
    /// Joins these releases, and those that their lanes knew.
    void join_releases(const std::vector<std::uint32_t>& numbers, knowledge& to) const
    {
        to.join_releases(numbers);
        for (const std::uint32_t r : numbers)
            to.join_releases(releases_[r].known->releases);
    }

    /// An access of a cluster that ended which clashes with this one and is not ordered before it; null if none.
    /// `behind_atomics`: it is ordered after atomic operations there in any case.
    const access* find_unordered(const observer& me, traffic_kind kind, int group, std::size_t begin, std::size_t end,
                                 bool behind_atomics) const
    {
        for (std::size_t chunk = begin / chunk_bytes; chunk * chunk_bytes < end; ++chunk)
            if (const auto at = accesses_.find(key(group, chunk)); at != accesses_.end())
                for (const access& a : at->second)
                    if (a.begin < end && begin < a.end && (a.kind != kind || kind == traffic_kind::write) &&
                        !(behind_atomics && a.kind == traffic_kind::atomic) && !is_known(me, a))
                        return &a;
        return nullptr;
    }

    /// Calls `act(begin, end)` for those of the bytes that ended clusters have written.
    template <class Act>
    void for_each_write(int group, std::size_t begin, std::size_t end, const Act& act) const
    {
        for (std::size_t chunk = begin / chunk_bytes; chunk * chunk_bytes < end; ++chunk)
            if (const auto at = accesses_.find(key(group, chunk)); at != accesses_.end())
                for (const access& a : at->second)
                    if (a.kind == traffic_kind::write && a.begin < end && begin < a.end)
                        act(std::max(a.begin, begin), std::min(a.end, end));
    }

private:
    static constexpr std::size_t chunk_bytes = 16;

    struct release
    {
        long cluster;
        std::shared_ptr<const knowledge> known;
    };

    static std::uint64_t key(int group, std::size_t chunk) { return static_cast<std::uint64_t>(group) << 48 | chunk; }

    bool is_known(const observer& me, const access& a) const
    {
        if (is_known(*me.wave, a))
            return true;
        if (me.alone != nullptr)
            for (const acquisition& own : *me.alone)
                if ((own.lanes >> me.stamp.lane & 1) != 0 && is_known(own.known, a))
                    return true;
        return false;
    }
    bool is_known(const knowledge& by, const access& a) const
    {
        std::uint64_t lanes = a.lanes;
        for (const std::uint32_t r : by.releases)
            if (releases_[r].cluster == a.cluster)
                lanes = releases_[r].known->happened.leave_unordered(a.timeline, a.time, lanes);
        return lanes == 0;
    }

    bool empty_ = true;
    std::vector<release> releases_; // by number
    std::unordered_map<const void*, std::vector<std::uint32_t>> places_;
    std::unordered_map<std::uint64_t, std::vector<access>> accesses_; // by group and chunk
};

} // namespace tegula::emulator::detail
