#pragma once

#include <tegula/emulator/cluster_state.hpp>

#include <bit>
#include <string>
#include <vector>

namespace tegula::emulator::detail {

/// The barriers of one block: its own, of number 0, and the named ones. Waves come one by one; the last opens it.
class block_barriers : private fault_holder
{
public:
    void begin_block(const cluster_state& cluster)
    {
        for (barrier& b : barriers_) {
            clear(b, cluster);
            b.came_before.clear();
        }
    }

    /// Checks that the wave of `last` may arrive at named barrier `id` for `threads` threads; null when all is well.
    const fault* check(cluster_state& cluster, const lane_state& last, int id, int threads)
    {
        const int wave_size = cluster.plan->chip->wave_size;
        const std::string name = "named_barrier " + std::to_string(id);
        if (id < 1 || id >= count)
            return blame(name + " does not exist", "use 1 to " + std::to_string(count - 1));
        if (threads <= 0 || threads % wave_size != 0 || threads > cluster.plan->block_threads)
            return blame(name + " for " + std::to_string(threads) + " threads", "give a whole number of waves of " +
                                                                                    std::to_string(wave_size) +
                                                                                    ", no more than the block has");
        const barrier& b = barriers_[id];
        if (b.arrived != 0 && b.waves != threads / wave_size)
            return blame(name + " is reached for " + std::to_string(threads) + " threads here and for " +
                             std::to_string(b.waves * wave_size) + " by another wave",
                         "let all waves name the same count");
        if ((b.arrived >> last.wave->index & 1) != 0)
            return blame(name + " is reached again by a wave that it has counted already",
                         "let the wave wait, at this or another barrier, until it has opened");
        const vector_clock& known = cluster.known_to(last).happened;
        for (const access_stamp& other : b.came_before)
            if (other.wave != last.wave->timeline && !known.knows(other))
                return blame(name + " for " + std::to_string(threads) +
                                 " threads is reached by more waves: it has opened for " +
                                 cluster.names.of(other.wave) + ", and might have counted this one instead",
                             "name the count of all that come, or let a barrier order the next round behind this one");
        return nullptr;
    }

    /// The wave's reason to come.
    enum class coming {
        meets,        ///< it waits until the barrier opens
        shares,       ///< likewise, but accesses to shared memory alone are ordered
        only_arrives, ///< it does not wait
    };

    /// Counts the wave and releases what it knows; true if it was the last, so that the barrier opened.
    bool join(cluster_state& cluster, const wave_state& wave, int id, int threads, coming how)
    {
        barrier& b = barriers_[id];
        b.waves = cluster.plan->waves_of(threads);
        b.arrived |= std::uint64_t{1} << wave.index;
        if (id != 0)
            b.came.push_back({cluster.least_time(wave), static_cast<std::uint8_t>(wave.timeline), 0});
        if (how == coming::only_arrives) {
            cluster.release(wave, b.known);
        } else {
            b.waiting |= std::uint64_t{1} << wave.index;
            if (how == coming::shares)
                b.sharing |= std::uint64_t{1} << wave.index;
            cluster.meet(wave);
            const knowledge& mine = cluster.known[static_cast<std::size_t>(wave.timeline)];
            if (how == coming::shares)
                b.known.join_shared(mine, cluster.timelines);
            else
                b.known.join(mine);
            cluster.tick(wave);
        }
        return std::popcount(b.arrived) == b.waves;
    }

    /// All waves have arrived: those that wait acquire what any of them knew. `first`: timeline of the block's wave 0.
    void open(cluster_state& cluster, int id, int first)
    {
        barrier& b = barriers_[id];
        for (int w = 0; w < max_waves; ++w) {
            if ((b.waiting >> w & 1) == 0)
                continue;
            const auto timeline = static_cast<std::size_t>(first + w);
            if ((b.sharing >> w & 1) != 0)
                cluster.known[timeline].join_shared(b.known, cluster.timelines);
            else
                cluster.known[timeline].join(b.known);
            cluster.waves[timeline].ready = cluster.waves[timeline].all;
            cluster.waves[timeline].waits_at = nullptr;
        }
        b.came_before = std::move(b.came);
        clear(b, cluster);
        ++cluster.totals.barriers;
    }

    std::string missing(int id) const
    {
        const barrier& b = barriers_[id];
        return std::to_string(b.waves - std::popcount(b.arrived)) + " more of " + std::to_string(b.waves) + " waves";
    }

private:
    static constexpr int count = 16;

    struct barrier
    {
        int waves = 0;
        std::uint64_t arrived = 0;
        std::uint64_t waiting = 0;             ///< those of them that wait for the others
        std::uint64_t sharing = 0;             ///< those of the waiting that order shared memory alone
        std::vector<access_stamp> came;        ///< arrivals of the waves so far
        std::vector<access_stamp> came_before; ///< arrivals for which it last opened
        knowledge known{};
    };

    static void clear(barrier& b, const cluster_state& cluster)
    {
        b.waves = 0;
        b.arrived = b.waiting = b.sharing = 0;
        b.came.clear();
        b.known.reset(cluster.timelines, cluster.async_proxy);
    }

    barrier barriers_[count];
};

} // namespace tegula::emulator::detail
