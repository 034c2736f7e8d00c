#pragma once

#include <tegula/emulator/cluster_state.hpp>

namespace tegula::emulator::detail {

/// The operations of lanes on mbarriers, and their effect on waiting lanes and on bytes in flight.
class mbarrier_unit : private fault_holder
{
public:
    mbarrier_unit(cluster_state& cluster, runtime& run) : cluster_(cluster), run_(run) {}

    void begin_cluster()
    {
        made_ = 0;
        commits_.assign(cluster_.blocks.size(), {});
        touches_.assign(cluster_.blocks.size(), {});
        for (auto& of_block : touches_)
            of_block.resize(cluster_.waves.size());
    }

    // Each returns a fault, or null when all is well.

    const fault* init(lane_state& me, void* address, int arrivals)
    {
        if (!me.block->holds(address))
            return blame("mbarrier init outside the shared memory of the lane's block", "let each block init its own");
        if (arrivals < 1 || arrivals > mbarrier::max_count)
            return blame("mbarrier init for " + std::to_string(arrivals) + " arrivals", "give 1 to 1048575");
        shared_checker& checker = cluster_.checker_of(me).shared();
        if (me.checks)
            if (const fault* f = checker.begin_mbarrier(me, cluster_.observer_at_line(me), address))
                return f;
        const long offset = offset_of(*me.block, address);
        if (const mbarrier* before = checker.barriers().find(offset)) // with checks off
            checker.barriers().remove(*before);
        mbarrier& b = checker.barriers().add(offset);
        b.arrivals = b.pending = arrivals;
        b.init = {cluster_.time_of(me), static_cast<std::uint8_t>(me.wave->timeline),
                  static_cast<std::uint8_t>(me.lane)};
        b.init_lane = &me;
        const auto waves = static_cast<int>(cluster_.waves.size());
        b.serial = made_;
        b.timeline = waves + made_++ % (max_timelines - waves - cluster_.reserved_timelines());
        b.released.reset(max_timelines, true);
        b.completed.reset(max_timelines, true);
        b.wide = false;
        b.seen.assign(static_cast<std::size_t>(me.block->threads), never_waited);
        return nullptr;
    }

    const fault* invalidate(lane_state& me, void* address)
    {
        mbarrier* b = nullptr;
        if (const fault* f = find(me, address, "mbarrier invalidate", b))
            return f;
        if (!b->waiting.empty() || !b->flights.empty())
            return blame("mbarrier invalidate of " + b->name() + " while lanes wait or bulk loads arrive at it",
                         "wait for its last phase first");
        if (me.checks)
            cluster_.checker_of(me).shared().end_mbarrier(address);
        cluster_.checker_of(me).shared().barriers().remove(*b);
        return nullptr;
    }

    /// An arrival from another block releases the lane's reads. If its scope is wider than a block, it also releases
    /// the lane's stores to shared memory.
    const fault* arrive(lane_state& me, void* address, int arrivals, int expected_bytes, thread_scope scope)
    {
        mbarrier* b = nullptr;
        if (const fault* f = find(me, address, "mbarrier arrive", b))
            return f;
        if (!me.block->holds(address))
            if (const fault* f = touch_peer(me, *cluster_.holder_of(me, address), "mbarrier arrive"))
                return f;
        if (arrivals < 1 || arrivals > b->pending)
            return blame(std::to_string(arrivals) + (arrivals == 1 ? " arrival at " : " arrivals at ") + b->name() +
                             ", whose " + phase_text(b->phase) + " takes " + std::to_string(b->pending) + " more of " +
                             std::to_string(b->arrivals),
                         "initialise it with as many arrivals as there are, and "
                         "arrive once a phase");
        if (const fault* f = add_transactions(*b, expected_bytes))
            return f;
        if (me.block->holds(address)) {
            cluster_.release(me, b->released);
        } else {
            told_.reset(max_timelines, true);
            cluster_.release(me, told_);
            b->released.join_reads(told_, static_cast<int>(cluster_.waves.size()));
            if (scope != thread_scope::block)
                release_wide(*b);
        }
        b->pending -= arrivals;
        return complete_if_done(*b);
    }

    /// One arrival when everything before `number` of an asynchronous timeline is over. It releases that, and what the
    /// lane acquired before it issued the commit, but none of the lane's own accesses.
    const fault* arrive_by_commit(lane_state& me, void* address, const char* action, int timeline, std::uint32_t number)
    {
        mbarrier* b = nullptr;
        if (const fault* f = find(me, address, action, b))
            return f;
        if (const fault* f = require_published(me, *b, action))
            return f;
        if (!me.block->holds(address))
            commits_[static_cast<std::size_t>(cluster_.holder_of(me, address)->rank)].push_back(
                {number, static_cast<std::uint8_t>(timeline), static_cast<std::uint8_t>(me.lane)});
        if (b->pending < 1)
            return blame(std::string(action) + " to " + b->name() + ", whose " + phase_text(b->phase) +
                             " takes no more of its " + std::to_string(b->arrivals) + " arrivals",
                         "initialise it with as many arrivals as there are, and commit to it once a phase");
        cluster_.release_acquired(me, b->released);
        std::uint32_t& over = b->released.happened.at(timeline);
        over = std::max(over, number);
        --b->pending;
        return complete_if_done(*b);
    }

    const fault* expect(lane_state& me, void* address, int bytes)
    {
        mbarrier* b = nullptr;
        if (const fault* f = find(me, address, "mbarrier expect_tx", b))
            return f;
        const fault* f = add_transactions(*b, bytes);
        return f != nullptr ? f : complete_if_done(*b);
    }

    /// The bytes of a copy, counted when it is issued: the earliest moment the hardware may count them.
    const fault* transact(mbarrier& b, std::int64_t bytes)
    {
        const fault* f = add_transactions(b, -bytes);
        return f != nullptr ? f : complete_if_done(b);
    }

    const fault* test(lane_state& me, void* address, int parity, bool& passed)
    {
        mbarrier* b = nullptr;
        if (const fault* f = find_own(me, address, parity, "mbarrier test_wait", b))
            return f;
        passed = b->passes(parity);
        return passed ? see(me, *b, b->phase - 1, thread_scope::block) : nullptr;
    }

    const fault* wait(lane_state& me, void* address, int parity, thread_scope scope)
    {
        mbarrier* b = nullptr;
        if (const fault* f = find_own(me, address, parity, "mbarrier wait", b))
            return f;
        if (b->passes(parity))
            return see(me, *b, b->phase - 1, scope);
        const std::int64_t wanted = b->phase;
        b->waiting.push_back({&me, wanted});
        me.wave->ready &= ~me.bit();
        me.wave->blocked |= me.bit();
        run_.suspend(me);
        std::erase_if(b->woken, [&me](const mbarrier::waiter& w) { return w.lane == &me; });
        return see(me, *b, wanted, scope);
    }

    /// The fence after the initialisation of mbarriers, or a proxy fence, which suffices, too.
    void publish(const lane_state& me)
    {
        for (const auto& b : cluster_.checker_of(me).shared().barriers().all())
            if (b->init_lane == &me)
                b->published = true;
    }

    /// The wave arrives at the cluster's barrier and releases the published initialisations of its lanes alone.
    void announce(const wave_state& wave)
    {
        for (const auto& b : cluster_.checker_of(*cluster_.lanes_of(wave)).shared().barriers().all())
            if (b->published && b->init_lane->wave == &wave)
                b->announced = true;
    }
    /// The wave has come through the cluster's barrier.
    void learn(const wave_state& wave)
    {
        for (const block_state& block : cluster_.blocks)
            for (const auto& b : cluster_.checker_of(block).shared().barriers().all())
                if (b->announced)
                    b->learnt.insert(static_cast<std::size_t>(wave.timeline));
    }

    /// Finds the mbarrier at that address of any block of the cluster; the lane must know of its initialisation.
    const fault* find(lane_state& me, const void* address, const char* action, mbarrier*& found)
    {
        const block_state* block = cluster_.holder_of(me, address);
        if (block == nullptr)
            return blame(std::string(action) + " outside the shared memory of the cluster",
                         "give the address of an mbarrier");
        const bool remote = block != me.block;
        if (remote)
            if (const fault* f = require_present(me, *block, action))
                return f;
        mbarrier* b = cluster_.checker_of(*block).shared().barriers().find(offset_of(*block, address));
        if (b == nullptr)
            return blame(std::string(action) + " at shared memory byte " + std::to_string(offset_of(*block, address)) +
                             owner_text(me, *block) + ", which is no initialised mbarrier",
                         "initialise it, and let a barrier order that before its first use");
        if (b->init_lane != &me && !b->learnt.contains(static_cast<std::size_t>(me.wave->timeline)) &&
            !cluster_.observer_of(me).in_order(b->init))
            return blame(std::string(action) + " of " + b->name() + owner_text(me, *block) +
                             " races with its initialisation",
                         remote ? "put a cluster barrier between them" : "put block_barrier() between them");
        found = b;
        return remote ? require_published(me, *b, action) : nullptr;
    }

    const fault* require_published(const lane_state& me, const mbarrier& b, const char* action)
    {
        if (!me.checks || b.published)
            return nullptr;
        return blame(std::string(action) + " of " + b.name() + ", whose initialisation no fence made visible",
                     "call fence_mbarrier_init() behind the initialisation, in the "
                     "same lane, and then the barrier");
    }

    /// The lane reaches into another block's shared memory, which must still be there.
    const fault* require_present(const lane_state& me, const block_state& block, const char* action)
    {
        if (!me.checks || !block.left)
            return nullptr;
        return blame(std::string(action) + " in the shared memory of block " + position(block.id) +
                         ", which has left the cluster",
                     "let every block wait for its peers before it returns: at its mbarriers or a cluster barrier");
    }
    /// The lane touches another block's shared memory. That block may leave only when it knows of this, whatever the
    /// order of execution.
    const fault* touch_peer(const lane_state& me, const block_state& block, const char* action)
    {
        const auto wave = static_cast<std::size_t>(me.wave->timeline);
        touches_[static_cast<std::size_t>(block.rank)][wave] = {cluster_.time_of(me), static_cast<std::uint8_t>(wave),
                                                                static_cast<std::uint8_t>(me.lane)};
        return require_present(me, block, action);
    }

    /// Called when every thread of the block has returned: its shared memory must no longer be in use.
    const fault* check_block_exit(const block_state& block)
    {
        shared_checker& checker = cluster_.checker_of(block).shared();
        for (const auto& b : checker.barriers().all())
            if (!b->flights.empty())
                return blame("the block returned while a " + std::string(b->flights[0].action) + " of " +
                                 cluster_.names.of(*b->flights[0].issuer) + " was in flight for " +
                                 phase_text(b->flights[0].phase) + " of " + b->name(),
                             "wait for every load before the block returns");
        knowledge all = cluster_.known[0];
        all.reset(max_timelines, true);
        for (const wave_state& wave : cluster_.waves)
            if (cluster_.lanes_of(wave)->block == &block) {
                all.join(cluster_.known[static_cast<std::size_t>(wave.timeline)]);
                for (const acquisition& a : cluster_.alone[static_cast<std::size_t>(wave.timeline)])
                    all.join(a.known);
            }
        for (const access_stamp& commit : commits_[static_cast<std::size_t>(block.rank)])
            if (!all.happened.knows(commit))
                return blame("the block leaves the cluster while a tcgen05.commit of its peer may still arrive at its "
                             "mbarriers",
                             "let every block wait for the last phase of its mbarriers before it returns");
        for (const access_stamp& touch : touches_[static_cast<std::size_t>(block.rank)])
            if (touch.time != 0 && !all.happened.knows(touch) && !all.reads.knows(touch))
                return blame("the block leaves the cluster while " + cluster_.names.of(touch.wave, touch.lane) +
                                 " may still reach into its shared memory",
                             "let every block wait for its peers before it returns: at "
                             "its mbarriers or a cluster "
                             "barrier");
        return nullptr;
    }

    /// The phases that lanes wait for, for the report of a deadlock: "lane 0 at phase 1 of the mbarrier at byte 8
    /// (...)".
    std::string describe_waits(const wave_state& wave) const
    {
        std::string text;
        for (const block_state& block : cluster_.blocks)
            for (const auto& b : cluster_.checker_of(block).shared().barriers().all()) {
                std::uint64_t lanes = 0;
                for (const mbarrier::waiter& w : b->waiting)
                    lanes |= w.lane->wave == &wave ? w.lane->bit() : 0;
                if (lanes != 0)
                    text += (text.empty() ? "" : " and ") + lane_list(lanes) + " at " + b->name() + " for " +
                            phase_text(b->phase) + " with " + b->missing();
            }
        return text;
    }

private:
    static long offset_of(const block_state& block, const void* address)
    {
        return static_cast<const std::byte*>(address) - block.shared;
    }
    static std::string owner_text(const lane_state& me, const block_state& block)
    {
        return &block == me.block ? "" : " of block " + position(block.id);
    }

    const fault* find_own(lane_state& me, const void* address, int parity, const char* action, mbarrier*& found)
    {
        if (!me.block->holds(address))
            return blame(std::string(action) + " outside the shared memory of the lane's block",
                         "a lane can wait only at an mbarrier of its own block: let "
                         "the peer arrive there");
        if (parity != 0 && parity != 1)
            return blame(std::string(action) + " with parity " + std::to_string(parity), "give 0 or 1");
        return find(me, address, action, found);
    }

    const fault* add_transactions(mbarrier& b, std::int64_t bytes)
    {
        b.transactions += bytes;
        if (b.transactions <= mbarrier::max_count && b.transactions >= -mbarrier::max_count)
            return nullptr;
        return blame("the transaction count of " + b.name() + " would be " + std::to_string(b.transactions) +
                         " bytes in " + phase_text(b.phase) + "; the limit is 1048575 either way",
                     "expect the bytes of the copies of one phase, once, or use "
                     "more mbarriers");
    }

    const fault* complete_if_done(mbarrier& b)
    {
        run_.note_event(*current_lane);
        if (!b.done())
            return nullptr;
        if (!b.woken.empty())
            return blame(phase_text(b.phase) + " of " + b.name() + " completes before " +
                             cluster_.names.of(*b.woken[0].lane) + " has seen " + phase_text(b.woken[0].phase) +
                             ": its wait is left in the wrong phase",
                         "let every lane that waits take part in the next phase, by "
                         "an arrival behind its wait");
        b.ends[0] = b.ends[1];
        b.ends[1] = ++b.released.happened.at(b.timeline);
        ++b.phase;
        b.pending = b.arrivals;
        b.completed.join(b.released);
        if (b.wide)
            b.completed_wide.join(b.released_wide);
        for (const mbarrier::waiter& w : b.waiting) {
            w.lane->wave->ready |= w.lane->bit();
            w.lane->wave->blocked &= ~w.lane->bit();
        }
        b.woken = std::move(b.waiting);
        b.waiting.clear();
        return nullptr;
    }

    /// A wait names a parity alone: while the phase before is open it returns at once, as if for the one before that.
    /// So a lane that waits must know that the phase before is complete.
    const fault* require_phase_before(const lane_state& me, const mbarrier& b, std::int64_t phase)
    {
        if (!me.checks || phase < 1 || b.seen[static_cast<std::size_t>(me.thread)] >= phase - 1 ||
            cluster_.observer_of(me).in_order({b.ends[0], static_cast<std::uint8_t>(b.timeline), 0}))
            return nullptr;
        return blame("mbarrier wait for " + phase_text(phase) + " of " + b.name() +
                         " by a lane that does not know whether " + phase_text(phase - 1) +
                         " is complete: until then the wait returns at once",
                     "wait for that phase, too, or for an arrival of a lane that has waited for it");
    }

    /// The lane has waited for the phase: it knows what was released, and the bytes that arrived by then are there.
    const fault* see(lane_state& me, mbarrier& b, std::int64_t phase, thread_scope scope)
    {
        if (const fault* f = require_phase_before(me, b, phase))
            return f;
        b.seen[static_cast<std::size_t>(me.thread)] = phase;
        const bool wide = b.wide && scope != thread_scope::block;
        if (wide) {
            told_ = b.completed;
            told_.join(b.completed_wide);
        }
        cluster_.acquire(me, wide ? told_ : b.completed, 2 * b.serial + (wide ? 1 : 0), phase);
        if (me.checks)
            land(me, b);
        return nullptr;
    }

    /// The bytes that arrived in phases that are complete become readable; their sources may be written again.
    void land(const lane_state& me, mbarrier& b)
    {
        observer arrived = cluster_.observer_of(me);
        arrived.stamp = {b.completed.happened.at(b.timeline), static_cast<std::uint8_t>(b.timeline), 0};
        for (const bulk_flight& flight : b.flights) {
            if (flight.phase >= b.phase)
                continue;
            arrived.site = flight.site;
            for (const auto& [source, bytes] : flight.sources)
                cluster_.global.end_read(arrived, source, bytes);
            std::memcpy(flight.to, flight.bytes.data(), flight.bytes.size());
            cluster_.checker_of(*cluster_.holder_of(me, flight.to))
                .shared()
                .end_async_write(arrived, flight.to, static_cast<int>(flight.bytes.size()));
        }
        std::erase_if(b.flights, [&b](const bulk_flight& flight) { return flight.phase < b.phase; });
    }

    void release_wide(mbarrier& b)
    {
        if (!b.wide) {
            b.wide = true;
            b.released_wide.reset(max_timelines, true);
            b.completed_wide.reset(max_timelines, true);
        }
        b.released_wide.join_shared(told_, static_cast<int>(cluster_.waves.size()));
    }

    cluster_state& cluster_;
    runtime& run_;
    int made_ = 0;
    knowledge told_;                                 ///< scratch: what the current arrival or wait passes on
    std::vector<std::vector<access_stamp>> commits_; ///< by block: commits of other blocks to its mbarriers
    std::vector<std::vector<access_stamp>> touches_; ///< by block, each wave's last access to it from another block
};

} // namespace tegula::emulator::detail
