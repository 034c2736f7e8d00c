#pragma once

#include <tegula/emulator/cluster_state.hpp>

#include <vector>

namespace tegula::emulator::detail {

/// Locks that lanes of one wave take from each other on AMD's GPUs: those that wait go round their loop, and the one that
/// holds it does not get to what is behind the loop. Seen from outside: lane q changed a place at one line, lane p then found
/// it so in vain there, q changed it at another line, and p came again. Between them the wave did nothing together.
class spin_watch
{
public:
    void begin_cluster(const cluster_state& cluster)
    {
        lanes_.assign(cluster.plan->chip->vendor == vendor::amd ? cluster.lanes.size() : 0, {});
    }
    /// Whether lanes of a wave take the same steps.
    bool in_step(const lane_state& me) const { return !lanes_.empty() && me.wave->lanes > 1; }

    /// The lane has done an atomic operation, which changed memory or not: the other lane, if its wave would never get on;
    /// -1 if all is well.
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
        if (wrote && mine.held == place && !(mine.held_from == me.where)) {
            for (int p = 0; p < me.wave->lanes; ++p) {
                spin& other = wave[p];
                if (p != me.lane && other.place == place && other.in_vain && other.where == mine.held_from &&
                    other.number > mine.held_since && other.meetings == me.wave->meetings)
                    other.waits_for = me.lane;
            }
            mine.held = nullptr;
        } else if (wrote) {
            mine.held = place;
            mine.held_from = me.where;
            mine.held_since = now_;
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
        int waits_for = -1;         ///< the lane that changed the place since then, behind what this one goes round
        const void* held = nullptr; ///< the place that it changed
        call_site held_from{};
        std::uint64_t held_since = 0;
    };

    std::vector<spin> lanes_; // by number in the cluster
    std::uint64_t now_ = 0;
};

} // namespace tegula::emulator::detail
