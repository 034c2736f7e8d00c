#pragma once

#include <tegula/emulator/cluster_state.hpp>
#include <tegula/emulator/tensor_memory_state.hpp>

namespace tegula::emulator::detail {

/// Which accesses to tensor memory come in order, and the reports of those that do not.
class tensor_order : protected fault_holder
{
protected:
    explicit tensor_order(cluster_state& cluster) : cluster_(cluster) {}

    static int pipe_timeline(const tensor_pipe& pipe) { return max_timelines - 1 - pipe.number; }

    template <class F>
    void for_own_acquisitions(const lane_state& me, const F& f)
    {
        for (const acquisition& a : cluster_.alone[static_cast<std::size_t>(me.wave->timeline)])
            if ((a.lanes & me.bit()) != 0)
                f(a.known);
    }

    /// Whether the access is over to the wave's knowledge, without the fences that further instructions would need.
    bool is_over(const lane_state& last, int number)
    {
        if (number < 0)
            return true;
        const tensor_history::entry& e = history_[number];
        if (e.pipe < 0)
            return e.waited &&
                   (e.wave == last.wave || cluster_.observer_of(last).unordered(e.wave->timeline, e.waited_time,
                                                                                e.wave->all, {false, true}) == 0);
        const access_stamp stamp{e.number, static_cast<std::uint8_t>(max_timelines - 1 - e.pipe), 0};
        return cluster_.observer_of(last).in_order(stamp);
    }

    /// Whether access `later`, now made by the lane or its wave, comes in order after access `earlier`.
    bool in_order(const lane_state& me, int earlier, int later)
    {
        if (earlier < 0 || earlier == later || (earlier == fine_earlier_ && later == fine_later_))
            return true;
        if (!find_order(me, earlier, later))
            return false;
        fine_earlier_ = earlier;
        fine_later_ = later;
        return true;
    }
    bool find_order(const lane_state& me, int earlier, int later)
    {
        const tensor_history::entry& before = history_[earlier];
        const tensor_history::entry& now = history_[later];
        if (before.pipe >= 0 && before.pipe == now.pipe && now.product &&
            (!before.product || before.shape == now.shape))
            return true; // the tensor core keeps this order (PTX ISA 9.0, 9.7.16.6.2)
        if (before.pipe < 0 && now.pipe < 0 && before.wave == now.wave)
            return before.waited;
        if (before.pipe < 0 && !before.fenced_by_all())
            return false;
        if (now.pipe >= 0)
            return lane_knows(me, before);
        const wave_state& wave = *now.wave;
        for (int lane = 0; lane < wave.lanes; ++lane)
            if (!lane_knows(cluster_.lanes_of(wave)[lane], before))
                return false;
        return true;
    }
    /// Whether the lane knew of the access at its last fence::after_thread_sync.
    bool lane_knows(const lane_state& lane, const tensor_history::entry& before)
    {
        const vector_clock& clock = seen_[static_cast<std::size_t>(cluster_.number_of(lane))];
        if (before.pipe >= 0)
            return clock.at(max_timelines - 1 - before.pipe) >= before.number;
        for (int l = 0; l < before.wave->lanes; ++l)
            if (!clock.knows({before.fence_time[l], static_cast<std::uint8_t>(before.wave->timeline),
                              static_cast<std::uint8_t>(l)}))
                return false;
        return true;
    }

    const fault* blame_cell(const lane_state& me, const char* name, int other, int half, int column)
    {
        const tensor_history::entry& e = history_[other];
        const std::string what = std::string(name) + " at tensor memory lane " + std::to_string(16 * half) +
                                 ", column " + std::to_string(column);
        const std::string who = std::string(e.name()) + " of wave " + std::to_string(e.wave->index) + " at " +
                                line_text(cluster_.sites[e.site]);
        if (e.pipe >= 0) {
            const int timeline = max_timelines - 1 - e.pipe;
            const bool known = cluster_.observer_of(me).in_order({e.number, static_cast<std::uint8_t>(timeline), 0});
            return known ? blame(what + ", behind a wait for " + who + " without fence::after_thread_sync",
                                 "call tensor_fence_after() between the wait and the access")
                         : blame(what + ", which " + who + " may not be over with",
                                 "commit it to an mbarrier, wait there, and fence");
        }
        if (!e.waited)
            return blame(what + ", which " + who + " has in flight",
                         e.stores ? "call tcgen05.wait::st before others touch the words"
                                  : "call tcgen05.wait::ld before others touch the words");
        if (!e.fenced_by_all())
            return blame(what + ", behind " + who + " without fence::before_thread_sync",
                         "call tensor_fence_before() in all lanes of the wave that waited");
        return blame(what + ", which races with " + who,
                     "let its wave arrive at a barrier that is waited for here, and call tensor_fence_after()");
    }

    cluster_state& cluster_;
    tensor_history history_;
    std::vector<vector_clock> seen_; // by lane: what it knew at its last fence::after_thread_sync
    int fine_earlier_ = -1;          // accesses that were last found in order
    int fine_later_ = -1;
};

} // namespace tegula::emulator::detail
