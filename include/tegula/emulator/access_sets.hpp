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

} // namespace tegula::emulator::detail
