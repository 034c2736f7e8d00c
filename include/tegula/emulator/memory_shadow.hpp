#pragma once

#include <tegula/emulator/vector_clock.hpp>

#include <vector>

namespace tegula::emulator::detail {

/// The fault of an access, and the earlier access it clashes with.
enum class shadow_clash {
    none,
    unwritten,
    in_flight,
    mbarrier,
    read_after_write,
    write_after_read,
    write_after_write,
    with_addition, ///< an atomic addition
    other_width,   ///< an atomic operation of another width
    async_reader,  ///< the asynchronous proxy, or a copy, has not finished reading
    async_addition,
    no_proxy_fence
};
struct shadow_verdict
{
    shadow_clash clash = shadow_clash::none;
    long offset = 0; ///< first byte concerned
    access_stamp other{};
    std::uint64_t others = 0; ///< lanes of that timeline
    std::uint16_t site = 0;   ///< line of the other access
    int width = 0;            ///< bytes of the other one, if it is atomic
};

/// Sets of accesses of one kind to one granule, which do not clash with each other: lanes by timeline and time. When a
/// wave comes again, its accesses from before it last met are forgotten: an observer that knows the later ones knows
/// them, too.
class access_sets
{
public:
    struct entry
    {
        std::uint64_t lanes;
        std::uint32_t time;
        std::uint32_t next; ///< 0 ends a set
        std::uint16_t site; ///< line of the last of them
        std::uint8_t timeline;
        bool async_proxy;
        std::uint8_t width; ///< bytes of atomic operations; 0: none, or the copy engine's
        bool tells;         ///< an atomic operation after a thread_fence()
    };

    void clear()
    {
        entries_.resize(1);
        free_ = 0;
    }
    const entry& operator[](std::uint32_t i) const { return entries_[i]; }

    /// `async_proxy`: that proxy made the access, and `me` waited for it.
    void add(std::uint32_t& set, const observer& me, bool async_proxy = false, int width = 0)
    {
        const std::uint64_t lane = std::uint64_t{1} << me.stamp.lane;
        const std::uint32_t met = me.wave->happened.at(me.stamp.wave);
        std::uint32_t mine = 0;
        for (std::uint32_t* link = &set; *link != 0;) {
            const std::uint32_t i = *link;
            entry& e = entries_[i];
            if (e.timeline != me.stamp.wave || e.async_proxy != async_proxy || e.tells || e.width != width) {
                link = &e.next;
                continue;
            }
            if (e.time == me.stamp.time) {
                e.lanes |= lane;
                e.site = me.site;
                return;
            }
            if (e.time < met)
                e.lanes = 0;
            else
                e.lanes &= ~lane;
            if (e.lanes == 0) {
                if (mine == 0) {
                    mine = i;
                    link = &e.next;
                } else {
                    *link = e.next;
                    e.next = free_;
                    free_ = i;
                }
            } else {
                link = &e.next;
            }
        }
        if (mine == 0) {
            mine = take();
            entries_[mine].next = set;
            set = mine;
        }
        entry& e = entries_[mine];
        e.lanes = lane;
        e.time = me.stamp.time;
        e.site = me.site;
        e.timeline = me.stamp.wave;
        e.async_proxy = async_proxy;
        e.width = static_cast<std::uint8_t>(width);
        e.tells = false;
    }
    /// An atomic operation after a thread_fence(): it comes after earlier ones of that kind at the same place. A lane
    /// that comes after it comes after them, too.
    void add_telling(std::uint32_t& set, const observer& me, int width)
    {
        for (std::uint32_t* link = &set; *link != 0;) {
            const std::uint32_t i = *link;
            if (!entries_[i].tells || entries_[i].width != width) {
                link = &entries_[i].next;
                continue;
            }
            *link = entries_[i].next;
            entries_[i].next = free_;
            free_ = i;
        }
        const std::uint32_t i = take();
        entries_[i] = {std::uint64_t{1} << me.stamp.lane, me.stamp.time, set, me.site, me.stamp.wave, false,
                       static_cast<std::uint8_t>(width),  true};
        set = i;
    }
    void forget(std::uint32_t& set)
    {
        while (set != 0) {
            const std::uint32_t next = entries_[set].next;
            entries_[set].next = free_;
            free_ = set;
            set = next;
        }
    }
    std::uint32_t copy(std::uint32_t set)
    {
        std::uint32_t result = 0;
        for (; set != 0; set = entries_[set].next) {
            const std::uint32_t i = take();
            entries_[i] = entries_[set];
            entries_[i].next = result;
            result = i;
        }
        return result;
    }
    /// Finds one that is not ordered before what `me` does now; the verdict then is `clash`.
    shadow_verdict find_unordered(std::uint32_t set, const observer& me, shadow_clash clash, bool global,
                                  long offset) const
    {
        const access_class what{!global, clash == shadow_clash::write_after_read};
        for (; set != 0; set = entries_[set].next) {
            const entry& e = entries_[set];
            if (const std::uint64_t lanes = me.unordered(e.timeline, e.time, e.lanes, what); lanes != 0)
                return verdict_of(e, lanes, clash, offset);
        }
        return {};
    }
    /// Finds one of another width that is not ordered before what `me` does now.
    shadow_verdict find_other_width(std::uint32_t set, const observer& me, int width, bool global, long offset) const
    {
        const access_class what{!global, false};
        for (; set != 0; set = entries_[set].next) {
            const entry& e = entries_[set];
            if (e.width == width || e.width == 0)
                continue;
            if (const std::uint64_t lanes = me.unordered(e.timeline, e.time, e.lanes, what); lanes != 0)
                return verdict_of(e, lanes, shadow_clash::other_width, offset);
        }
        return {};
    }
    /// Finds one that no proxy fence made visible to the asynchronous proxy, in which `me` starts an access.
    shadow_verdict find_unfenced(std::uint32_t set, const observer& me, bool global, long offset) const
    {
        for (; set != 0; set = entries_[set].next) {
            const entry& e = entries_[set];
            for (std::uint64_t rest = e.async_proxy ? 0 : e.lanes; rest != 0; rest &= rest - 1)
                if (!me.fenced({e.time, e.timeline, static_cast<std::uint8_t>(__builtin_ctzll(rest))}, global))
                    return verdict_of(e, rest, shadow_clash::no_proxy_fence, offset);
        }
        return {};
    }

private:
    static shadow_verdict verdict_of(const entry& e, std::uint64_t lanes, shadow_clash clash, long offset)
    {
        return {clash, offset, {e.time, e.timeline, static_cast<std::uint8_t>(__builtin_ctzll(lanes))},
                lanes, e.site, e.width};
    }
    std::uint32_t take()
    {
        if (free_ == 0) {
            entries_.push_back({});
            return static_cast<std::uint32_t>(entries_.size() - 1);
        }
        const std::uint32_t i = free_;
        free_ = entries_[i].next;
        return i;
    }

    std::vector<entry> entries_{1};
    std::uint32_t free_ = 0;
};

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
