#pragma once

#include <tegula/emulator/access_sets.hpp>

#include <vector>

namespace tegula::emulator::detail {

/// For every granule of some memory: the last write, and the reads and additions since. An access is in order when
/// every clashing one before it is the same lane's, or a synchronisation orders the two.
///
/// A granule is 16 bytes to begin with; the first access that is narrower halves granules until it fits, copying what
/// is known, so that the answer is always exact to the byte.
class memory_shadow
{
public:
    enum class state : std::uint8_t { never_written, in_flight, holds_mbarrier, written, written_by_async_proxy };

    /// `sets` may be shared with other shadows, and outlives this one. `global` selects the kind of proxy fences.
    void begin(long bytes, access_sets& sets, bool global, state before)
    {
        sets_ = &sets;
        global_ = global;
        granule blank;
        blank.state_now = before;
        granules_.assign(static_cast<std::size_t>((bytes + (1L << shift_) - 1) >> shift_), blank);
    }
    /// Granules start wide again.
    void widen() { shift_ = widest; }

    shadow_verdict read(long offset, int bytes, const observer& me)
    {
        refine(offset, bytes);
        for (long g = offset >> shift_; g << shift_ < offset + bytes; ++g) {
            granule& w = at(g);
            if (w.state_now < state::written || !is_ordered(w, me))
                return clash_with_write(w, g);
            if (w.additions != 0 || w.async_additions != 0)
                if (const shadow_verdict v = look_at_additions(w, g, me, false); v.clash != shadow_clash::none)
                    return v;
            sets_->add(w.reads, me);
        }
        return {};
    }

    shadow_verdict write(long offset, int bytes, const observer& me)
    {
        return put(offset, bytes, me, state::written, false);
    }

    /// An atomic addition: in order with reads and writes, as they are with it, and with additions of other widths.
    /// `tells`: see access_sets.
    shadow_verdict add(long offset, int bytes, const observer& me, bool tells = false)
    {
        return add_to_each(offset, bytes, me, bytes, [&](granule& w) {
            if (tells)
                sets_->add_telling(w.additions, me, bytes);
            else
                sets_->add(w.additions, me, false, bytes);
        });
    }
    /// An atomic exchange, to which unwritten memory is no misuse.
    shadow_verdict exchange(long offset, int bytes, const observer& me, bool tells)
    {
        refine(offset, bytes);
        for (long g = offset >> shift_; g << shift_ < offset + bytes; ++g)
            if (at(g).state_now == state::never_written)
                set(at(g), {}, state::written); // ordered with everything: others may exchange, too
        return add(offset, bytes, me, tells);
    }
    bool holds_something(long offset, int bytes) const
    {
        for (long g = offset >> shift_; g << shift_ < offset + bytes; ++g)
            if (granules_[static_cast<std::size_t>(g)].state_now == state::never_written)
                return false;
        return true;
    }
    /// An atomic addition by the copy engine, in flight until end_async_add().
    shadow_verdict begin_async_add(long offset, int bytes, const observer& me)
    {
        return add_to_each(offset, bytes, me, 0, [](granule& w) { ++w.async_additions; });
    }
    void end_async_add(long offset, int bytes, const observer& me)
    {
        refine(offset, bytes);
        for (long g = offset >> shift_; g << shift_ < offset + bytes; ++g) {
            --at(g).async_additions;
            sets_->add(at(g).additions, me, true);
        }
    }
    /// Whether additions to these bytes are not yet applied to memory; marks them as applied.
    bool take_pending(long offset, int bytes)
    {
        bool any = false;
        for (long g = offset >> shift_; g << shift_ < offset + bytes; ++g)
            if (at(g).pending) {
                at(g).pending = false;
                any = true;
            }
        return any;
    }

    /// These bytes were written before begin().
    void note_written(long offset, int bytes)
    {
        refine(offset, bytes);
        for (long g = offset >> shift_; g << shift_ < offset + bytes; ++g)
            if (at(g).state_now == state::never_written)
                at(g).state_now = state::written;
    }
    /// Whether an atomic operation after a thread_fence() was done there, and no write since.
    bool was_told(long offset, int bytes) const
    {
        for (long g = offset >> shift_; g << shift_ < offset + bytes; ++g)
            for (std::uint32_t set = granules_[static_cast<std::size_t>(g)].additions; set != 0;
                 set = (*sets_)[set].next)
                if ((*sets_)[set].tells)
                    return true;
        return false;
    }
    /// Calls `act(offset, bytes, clash, entry)` for the last accesses, which come after all others of their bytes.
    /// `clash`: the one that a write has with them.
    template <class Act>
    void for_each_access(const Act& act) const
    {
        const int bytes = 1 << shift_;
        for (std::size_t g = 0; g < granules_.size(); ++g) {
            const granule& w = granules_[g];
            const long offset = static_cast<long>(g) << shift_;
            if (w.time != 0)
                act(offset, bytes, shadow_clash::write_after_write,
                    {std::uint64_t{1} << w.lane, w.time, 0, w.site, w.timeline, false, 0, false});
            for (std::uint32_t set = w.reads; set != 0; set = (*sets_)[set].next)
                act(offset, bytes, shadow_clash::write_after_read, (*sets_)[set]);
            for (std::uint32_t set = w.additions; set != 0; set = (*sets_)[set].next)
                act(offset, bytes, shadow_clash::with_addition, (*sets_)[set]);
        }
    }

    /// An asynchronous copy takes the bytes: no lane may touch them until end_copy(). Copies of the asynchronous proxy
    /// need a proxy fence after ordinary stores.
    shadow_verdict begin_copy(long offset, int bytes, const observer& me, bool async_proxy)
    {
        return put(offset, bytes, me, state::in_flight, async_proxy);
    }
    void end_copy(long offset, int bytes, const observer& me) { mark(offset, bytes, me, state::written); }
    void end_async_copy(long offset, int bytes, const observer& me)
    {
        mark(offset, bytes, me, state::written_by_async_proxy);
    }

    /// A copy or the asynchronous proxy starts to read: no lane may write until end_async_read().
    shadow_verdict begin_async_read(long offset, int bytes, const observer& me, bool async_proxy)
    {
        refine(offset, bytes);
        for (long g = offset >> shift_; g << shift_ < offset + bytes; ++g) {
            granule& w = at(g);
            if (w.state_now < state::written || !is_ordered(w, me))
                return clash_with_write(w, g);
            if (w.additions != 0 || w.async_additions != 0)
                if (const shadow_verdict v = look_at_additions(w, g, me, async_proxy); v.clash != shadow_clash::none)
                    return v;
            if (async_proxy && w.state_now == state::written && !me.fenced(w.stamp(), global_))
                return verdict_of(shadow_clash::no_proxy_fence, w, g);
        }
        for (long g = offset >> shift_; g << shift_ < offset + bytes; ++g)
            ++at(g).async_readers;
        return {};
    }
    void end_async_read(long offset, int bytes, const observer& me)
    {
        refine(offset, bytes);
        for (long g = offset >> shift_; g << shift_ < offset + bytes; ++g) {
            --at(g).async_readers;
            sets_->add(at(g).reads, me);
        }
    }

    /// The 8 bytes become, or no longer are, an mbarrier, which only its own operations touch.
    shadow_verdict begin_mbarrier(long offset, const observer& me)
    {
        return put(offset, 8, me, state::holds_mbarrier, false);
    }
    void end_mbarrier(long offset) { mark(offset, 8, {}, state::never_written); }

private:
    static constexpr int widest = 4; // 16 bytes

    struct granule
    {
        std::uint32_t time = 0;
        std::uint32_t async_readers = 0;
        std::uint32_t reads = 0;     // set
        std::uint32_t additions = 0; // set
        std::uint16_t site = 0;
        std::uint16_t async_additions = 0;
        std::uint8_t timeline = 0;
        std::uint8_t lane = 0;
        state state_now = state::never_written;
        bool pending = false; // additions not yet applied to memory

        access_stamp stamp() const { return {time, timeline, lane}; }
    };

    /// Whether the last write of the granule is ordered before what `me` does now.
    bool is_ordered(const granule& w, const observer& me) const { return me.in_order(w.stamp(), {!global_, false}); }
    granule& at(long g) { return granules_[static_cast<std::size_t>(g)]; }

    shadow_verdict verdict_of(shadow_clash clash, const granule& w, long g) const
    {
        return {clash, g << shift_, w.stamp(), std::uint64_t{1} << w.lane, w.site};
    }
    shadow_verdict clash_with_write(const granule& w, long g) const
    {
        return verdict_of(w.state_now == state::never_written    ? shadow_clash::unwritten
                          : w.state_now == state::in_flight      ? shadow_clash::in_flight
                          : w.state_now == state::holds_mbarrier ? shadow_clash::mbarrier
                                                                 : shadow_clash::read_after_write,
                          w, g);
    }
    shadow_verdict look_at_additions(const granule& w, long g, const observer& me, bool async_proxy) const
    {
        if (w.async_additions != 0)
            return verdict_of(shadow_clash::async_addition, w, g);
        const shadow_verdict v =
            sets_->find_unordered(w.additions, me, shadow_clash::with_addition, global_, g << shift_);
        return async_proxy && v.clash == shadow_clash::none
                   ? sets_->find_unfenced(w.additions, me, global_, g << shift_)
                   : v;
    }
    shadow_verdict look_before_addition(const granule& w, long g, const observer& me, int width) const
    {
        const bool async_proxy = width == 0;
        if (w.state_now < state::written || !is_ordered(w, me))
            return clash_with_write(w, g);
        if (w.async_readers != 0)
            return verdict_of(shadow_clash::async_reader, w, g);
        if (async_proxy && w.state_now == state::written && !me.fenced(w.stamp(), global_))
            return verdict_of(shadow_clash::no_proxy_fence, w, g);
        if (!async_proxy)
            if (const shadow_verdict v = sets_->find_other_width(w.additions, me, width, global_, g << shift_);
                v.clash != shadow_clash::none)
                return v;
        return sets_->find_unordered(w.reads, me, shadow_clash::write_after_read, global_, g << shift_);
    }

    /// `width`: of an atomic operation of a lane; 0: the copy engine adds. note(granule) keeps whose addition it is.
    template <class Note>
    shadow_verdict add_to_each(long offset, int bytes, const observer& me, int width, const Note& note)
    {
        refine(offset, bytes);
        for (long g = offset >> shift_; g << shift_ < offset + bytes; ++g) {
            granule& w = at(g);
            if (const shadow_verdict v = look_before_addition(w, g, me, width); v.clash != shadow_clash::none)
                return v;
            note(w);
            w.pending = true;
        }
        return {};
    }

    shadow_verdict put(long offset, int bytes, const observer& me, state to, bool async_proxy)
    {
        refine(offset, bytes);
        for (long g = offset >> shift_; g << shift_ < offset + bytes; ++g) {
            granule& w = at(g);
            if (w.state_now == state::in_flight || w.state_now == state::holds_mbarrier)
                return clash_with_write(w, g);
            if (w.state_now != state::never_written && !is_ordered(w, me))
                return verdict_of(shadow_clash::write_after_write, w, g);
            if (w.async_readers != 0)
                return verdict_of(shadow_clash::async_reader, w, g);
            if (w.additions != 0 || w.async_additions != 0)
                if (const shadow_verdict v = look_at_additions(w, g, me, async_proxy); v.clash != shadow_clash::none)
                    return v;
            if (async_proxy && w.state_now == state::written && !me.fenced(w.stamp(), global_))
                return verdict_of(shadow_clash::no_proxy_fence, w, g);
            if (const shadow_verdict v =
                    sets_->find_unordered(w.reads, me, shadow_clash::write_after_read, global_, g << shift_);
                v.clash != shadow_clash::none)
                return v;
            set(w, me, to);
        }
        return {};
    }

    void mark(long offset, int bytes, const observer& me, state to)
    {
        refine(offset, bytes);
        for (long g = offset >> shift_; g << shift_ < offset + bytes; ++g)
            set(at(g), me, to);
    }

    /// An observer ordered after the write is also ordered after everything that the write was ordered after.
    void set(granule& w, const observer& me, state to)
    {
        if (w.reads != 0)
            sets_->forget(w.reads);
        if (w.additions != 0)
            sets_->forget(w.additions);
        w.time = me.stamp.time;
        w.timeline = me.stamp.wave;
        w.lane = me.stamp.lane;
        w.site = me.site;
        w.state_now = to;
    }

    void refine(long offset, int bytes)
    {
        if (((offset | bytes) & ((1L << shift_) - 1)) != 0)
            halve_for(offset | bytes);
    }
    [[gnu::noinline]] void halve_for(long multiple)
    {
        while ((multiple & ((1L << shift_) - 1)) != 0) {
            --shift_;
            const std::size_t count = granules_.size();
            granules_.resize(2 * count);
            for (std::size_t g = count; g-- > 0;) {
                const granule whole = granules_[g];
                granules_[2 * g] = granules_[2 * g + 1] = whole;
                granules_[2 * g + 1].reads = sets_->copy(whole.reads);
                granules_[2 * g + 1].additions = sets_->copy(whole.additions);
            }
        }
    }

    int shift_ = widest;
    bool global_ = false;
    access_sets* sets_ = nullptr;
    std::vector<granule> granules_;
};

} // namespace tegula::emulator::detail
