#pragma once

#include <tegula/emulator/cluster_state.hpp>

#include <unordered_map>
#include <vector>

namespace tegula::emulator::detail {

/// Finds locks among lanes of one wave on AMD's GPUs: waiting lanes go round their loop, and the lane that holds the
/// lock never gets past it. The signs: lane q changed a place at one line, lane p failed there as it found the change,
/// q changed it at another line, and p tried again. Or both read equal contents of a place at one line, p in vain (a
/// ticket), and so on. Between these events the wave did nothing together.
class spin_watch
{
public:
    void begin_cluster(const cluster_state& cluster)
    {
        lanes_.assign(cluster.plan->chip->vendor == vendor::amd ? cluster.lanes.size() : 0, {});
        changes_.clear();
    }
    /// Whether lanes of a wave take the same steps.
    bool in_step(const lane_state& me) const { return !lanes_.empty() && me.wave->lanes > 1; }

    /// Notes an atomic operation of the lane; `wrote`: it changed memory. Returns the lane that it waits for if their
    /// wave would never get on, -1 if all is well.
    int note(const cluster_state& cluster, const lane_state& me, const void* place, bool wrote)
    {
        const auto first = static_cast<std::size_t>(cluster.number_of(me) - me.lane);
        spin* const wave = lanes_.data() + first;
        spin& mine = wave[me.lane];
        const bool again = mine.waits_for >= 0 && mine.place == place && mine.where == me.where &&
                           mine.touches == me.touches && mine.meetings == me.wave->meetings;
        if (again)
            return mine.waits_for;
        ++now_;
        if (wrote && mine.looked_at == place && !(mine.looked_from == me.where) && mine.looked_in == me.wave->meetings)
            let_wait(wave, me, place, mine.looked_from, changes_[place]);
        if (wrote)
            changes_[place] = now_;
        if (wrote && mine.held == place && !(mine.held_from == me.where)) {
            let_wait(wave, me, place, mine.held_from, mine.held_since);
            mine.held = nullptr;
        } else if (wrote) {
            mine.held = place;
            mine.held_from = me.where;
            mine.held_since = now_;
        }
        if (!wrote) {
            mine.looked_at = place;
            mine.looked_from = me.where;
            mine.looked_in = me.wave->meetings;
        }
        mine.place = place;
        mine.where = me.where;
        mine.in_vain = !wrote;
        mine.number = now_;
        mine.touches = me.touches;
        mine.meetings = me.wave->meetings;
        mine.waits_for = -1;
        return -1;
    }

private:
    struct spin
    {
        // Its last atomic operation
        const void* place = nullptr;
        call_site where{};
        bool in_vain = false;
        std::uint64_t number = 0;
        std::uint32_t touches = 0;
        std::uint32_t meetings = 0;
        int waits_for = -1;         ///< the lane that changed the place since then, after the loop of this one
        const void* held = nullptr; ///< the place that it changed
        call_site held_from{};
        std::uint64_t held_since = 0;
        const void* looked_at = nullptr; ///< the place that it last found in order, or in vain
        call_site looked_from{};
        std::uint32_t looked_in = 0; ///< number of meetings of the wave by then
    };

    /// Marks lanes that have since looked at the place in vain at that line as waiting for this one.
    static void let_wait(spin* wave, const lane_state& me, const void* place, const call_site& where,
                         std::uint64_t since)
    {
        for (int p = 0; p < me.wave->lanes; ++p) {
            spin& other = wave[p];
            if (p != me.lane && other.place == place && other.in_vain && other.where == where && other.number > since &&
                other.meetings == me.wave->meetings)
                other.waits_for = me.lane;
        }
    }

    std::vector<spin> lanes_;                                // by number in the cluster
    std::unordered_map<const void*, std::uint64_t> changes_; // by place: when it was last changed
    std::uint64_t now_ = 0;
};

} // namespace tegula::emulator::detail
