#pragma once

// The members of the engine that are about atomic operations, and the order of clusters that follows from them.

#include <tegula/emulator/engine.hpp>

namespace tegula::emulator::detail {

inline void engine::add(lane_state& me, const deferred_add& addition)
{
    if (const long at = static_cast<const std::byte*>(addition.to) - me.block->shared;
        at >= 0 && at < me.block->shared_bytes) {
        if (plan_->checks) {
            observer seen = cluster_.observer_of(me);
            end_on_fault(me, cluster_.checker_of(me).check_shared_addition(me, seen, addition.to));
        }
        addition.apply();
        return;
    }
    if (plan_->checks) {
        observer seen = cluster_.observer_of(me);
        end_on_fault(me, cluster_.checker_of(me).check_addition(me, seen, addition.to, 4, "atomic_add"));
    } else if (!me.watched) {
        for (lane_state& lane : cluster_.lanes)
            lane.watched = true;
    }
    cluster_.global.keep(addition);
    ++me.additions;
}

inline bool engine::check_shared_atomic(lane_state& me, const void* address, int bytes, bool exchange)
{
    shared_checker& shared = cluster_.checker_of(me).shared();
    bool held = true;
    me.atomic_after = me.wave->met;
    const bool tells = fences_.tells(me);
    end_on_fault(me, exchange
                         ? shared.exchange(me, cluster_.observer_at_line(me), address, bytes, tells, held)
                         : shared.atomic(me, cluster_.observer_at_line(me), address, bytes, "shared atomic", tells));
    return held;
}

inline bool engine::begin_global_atomic(lane_state& me, const void* address, int bytes, bool exchange)
{
    bool held = true;
    me.atomic_after = me.wave->met;
    if (plan_->checks) {
        observer seen = cluster_.observer_of(me);
        end_on_fault(me, cluster_.checker_of(me).check_addition(me, seen, address, bytes, "global atomic",
                                                                fences_.tells(me), exchange ? &held : nullptr));
    }
    if (turns_ != nullptr && !has_turn_)
        take_turn(me);
    cluster_.global.settle_additions(address, static_cast<std::size_t>(bytes));
    if (plan_->checks)
        cluster_.global.undo().note(address, static_cast<std::size_t>(bytes));
    return held;
}

inline void engine::end_atomic(lane_state& me, const void* address, bool wrote, bool looks)
{
    note_atomic(me, address, wrote);
    if (me.checks && spins_.in_step(me))
        if (const int holder = spins_.note(cluster_, me, address, wrote); holder >= 0)
            stop_spinning(me, holder);
    if (wrote) {
        polls_ = 0;
        const bool interrupted = me.checks && order_.interrupts();
        if (interrupted)
            resume_polling(cluster_);
        if (me.checks && looks && spins_.in_step(me))
            let_wave_catch_up(me);
        else if (interrupted)
            suspend(me);
    } else {
        look_again(me, address, looks);
    }
}

inline void engine::look_again(lane_state& me, const void* address, bool looks)
{
    const bool again = me.looked_at == address && me.looked_from == me.where && me.looked_after == me.touches;
    me.looked_at = address;
    me.looked_from = me.where;
    me.looked_after = me.touches;
    me.wave->polls_memory = true;
    if (again && looks && me.watched)
        yield(me);
    else if (again || looks)
        let_others_run(me);
}

inline void engine::take_turn(lane_state& me)
{
    turns_->wait_for_turn(turn_);
    has_turn_ = true;
    if (!me.checks || plan_->resident > 0 || turns_->published().empty())
        return;
    fences_.know_earlier(turns_->published());
    call_site where = me.where;
    const fault* const f =
        cluster_.global.know_earlier(turns_->published(), cluster_.observer_of(me), cluster_.sites, where);
    if (f != nullptr)
        me.where = where;
    end_on_fault(me, f);
}

inline bool engine::publish(long cluster)
{
    if (!has_turn_ || !plan_->checks || plan_->resident > 0 || (!fences_.used() && turns_->published().empty()))
        return false;
    if (failed_)
        return true;
    published_order& to = turns_->published();
    cluster_.global.publish(to, cluster, cluster_.names, cluster_.sites);
    fences_.for_each_release([&](const void* place, const std::shared_ptr<const knowledge>& known) {
        if (cluster_.holder_of(cluster_.lanes.front(), place) == nullptr)
            to.add_release(cluster, place, known);
    });
    return true;
}

} // namespace tegula::emulator::detail
