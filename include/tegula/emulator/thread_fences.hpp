#pragma once

#include <tegula/emulator/cluster_state.hpp>
#include <tegula/emulator/published_order.hpp>

#include <memory>
#include <unordered_map>
#include <vector>

namespace tegula::emulator::detail {

/// The order that thread_fence() makes, as the fences of C++ and PTX do (PTX ISA, "Memory Consistency Model"). A lane's
/// atomic operations after its fence carry the lane's knowledge at the fence. A lane that does one at the same place
/// later has that knowledge after a fence of its own. Each of the two fences must be of a scope that has both lanes.
class thread_fences
{
public:
    explicit thread_fences(cluster_state& cluster) : cluster_(cluster) {}

    /// `earlier`: what clusters that ended before have released; null if nothing may be known of any.
    void begin_cluster()
    {
        used_ = false;
        lanes_.clear();
        places_.clear();
        earlier_ = nullptr;
    }
    void know_earlier(const published_order& earlier) { earlier_ = &earlier; }
    bool used() const { return used_; }

    void fence(lane_state& me, thread_scope scope)
    {
        used_ = true;
        lanes_.resize(cluster_.lanes.size());
        fences_of_lane& mine = lanes_[number_of(me)];
        acquire(me, mine, scope);
        auto told = std::make_shared<knowledge>();
        told->reset(cluster_.timelines, cluster_.async_proxy);
        cluster_.release(me, *told);
        for (int narrower = 0; narrower < scopes; ++narrower)
            if (narrower <= static_cast<int>(scope))
                mine.released[narrower] = nullptr;
        mine.released[static_cast<int>(scope)] = std::move(told);
    }

    /// The lane has done an atomic operation there, which wrote something or not.
    void note_atomic(lane_state& me, const void* place, bool wrote)
    {
        if (!used_ && earlier_ == nullptr)
            return;
        lanes_.resize(cluster_.lanes.size());
        fences_of_lane& mine = lanes_[number_of(me)];
        if (const auto at = places_.find(place); at != places_.end())
            for (const release& r : at->second)
                if (includes(r.scope, r.block, me.block->rank))
                    add(mine.seen, r);
        if (earlier_ != nullptr)
            earlier_->add_releases(place, mine.seen_earlier);
        if (!wrote)
            return;
        for (int scope = 0; scope < scopes; ++scope)
            if (mine.released[scope] != nullptr)
                add(places_[place], {static_cast<thread_scope>(scope), me.block->rank, place, mine.released[scope]});
    }
    /// Whether the lane's next atomic operation releases its earlier accesses.
    bool tells(const lane_state& me) const
    {
        if (!used_)
            return false;
        for (const auto& released : lanes_[number_of(me)].released)
            if (released != nullptr)
                return true;
        return false;
    }

    /// Calls `act(place, knowledge)` for the releases to the whole GPU.
    template <class Act>
    void for_each_release(const Act& act) const
    {
        for (const auto& [place, releases] : places_)
            for (const release& r : releases)
                if (r.scope >= thread_scope::device)
                    act(place, r.known);
    }

private:
    static constexpr int scopes = 4;

    struct release
    {
        thread_scope scope;
        int block; ///< rank of the lane's block
        const void* place;
        std::shared_ptr<const knowledge> known;
    };
    struct fences_of_lane
    {
        std::shared_ptr<const knowledge> released[scopes]; ///< by its last fence of that scope, unless a wider one came
        std::vector<release> seen;                         ///< since its last fence that has the releasing lane
        std::vector<std::uint32_t> seen_earlier;           ///< releases of clusters that ended before
    };

    std::size_t number_of(const lane_state& me) const { return static_cast<std::size_t>(cluster_.number_of(me)); }

    /// Whether lanes of both blocks are in the scope; without clusters a block is one.
    bool includes(thread_scope scope, int block, int other) const
    {
        return block == other || scope >= thread_scope::device ||
               (scope == thread_scope::cluster && cluster_.blocks[0].cluster_blocks() > 1);
    }

    /// Each place, scope and block has one release, which grows.
    static void add(std::vector<release>& to, const release& r)
    {
        for (release& old : to) {
            if (old.place != r.place || old.scope != r.scope || old.block != r.block)
                continue;
            if (old.known != r.known) {
                auto both = std::make_shared<knowledge>(*old.known);
                both->join(*r.known);
                old.known = std::move(both);
            }
            return;
        }
        to.push_back(r);
    }

    void acquire(lane_state& me, fences_of_lane& mine, thread_scope scope)
    {
        std::erase_if(mine.seen, [&](const release& r) {
            if (!includes(scope, r.block, me.block->rank))
                return false;
            cluster_.acquire(me, *r.known);
            return true;
        });
        if (scope < thread_scope::device || mine.seen_earlier.empty())
            return;
        knowledge from;
        from.reset(cluster_.timelines, cluster_.async_proxy);
        earlier_->join_releases(mine.seen_earlier, from);
        cluster_.acquire(me, from);
        mine.seen_earlier.clear();
    }

    cluster_state& cluster_;
    bool used_ = false;
    std::vector<fences_of_lane> lanes_; // by number in the cluster
    std::unordered_map<const void*, std::vector<release>> places_;
    const published_order* earlier_ = nullptr;
};

} // namespace tegula::emulator::detail
