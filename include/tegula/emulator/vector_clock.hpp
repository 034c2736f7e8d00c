#pragma once

#include <tegula/emulator/state.hpp>

#include <algorithm>
#include <vector>

namespace tegula::emulator::detail {

/// The author of an access to memory, and its time by the author's own clock.
struct access_stamp
{
    std::uint32_t time = 0;
    std::uint8_t wave = 0; ///< timeline: see vector_clock
    std::uint8_t lane = 0;
};

/// Timelines of a vector clock: one per wave of the cluster, then those of asynchronous work.
inline constexpr int max_timelines = 128;

/// The events that a wave or a synchronising object knows of: everything timeline `w` did up to its time at(w), and
/// for single lanes of it what they did a little later. A wave's own entry is its present time, which each wave barrier
/// and each release moves on. A barrier, or any other synchronising object, keeps one of these: a release joins the
/// wave's clock into the object's, an acquire joins the object's into the wave's.
class vector_clock
{
public:
    /// Forgets everything; `timelines` are in use from now on.
    void reset(int timelines)
    {
        for (int i = 0; i < used_ || i < timelines; ++i)
            time_[i] = 0;
        used_ = timelines;
        further_.clear();
    }

    std::uint32_t& at(int timeline) { return time_[timeline]; }
    std::uint32_t at(int timeline) const { return time_[timeline]; }

    void join(const vector_clock& other)
    {
        for (int i = 0; i < used_; ++i)
            time_[i] = time_[i] < other.time_[i] ? other.time_[i] : time_[i];
        if (!further_.empty())
            forget_overtaken();
        for (const ahead& a : other.further_)
            join_lanes(a.timeline, a.lanes, a.until);
    }

    /// Joins the knowledge of `other` about the first `timelines`, those without a time in this clock included.
    void join_all(const vector_clock& other, int timelines)
    {
        join(other);
        for (int i = used_; i < timelines; ++i)
            join_lanes(i, ~std::uint64_t{0}, other.time_[i]);
    }
    /// Forgets entries of single lanes that `other` knows by their timelines.
    void forget_known(const vector_clock& other)
    {
        if (!further_.empty())
            std::erase_if(further_, [&](const ahead& a) { return a.until <= other.time_[a.timeline]; });
    }

    /// These lanes of the timeline are known up to `until`, unless they are known further.
    void join_lanes(int timeline, std::uint64_t lanes, std::uint32_t until)
    {
        if (until <= time_[timeline])
            return;
        ahead* same = nullptr;
        for (ahead& a : further_) {
            if (a.timeline != timeline)
                continue;
            if (a.until > until)
                lanes &= ~a.lanes;
            else if (a.until < until)
                a.lanes &= ~lanes;
            else
                same = &a;
        }
        if (same != nullptr)
            same->lanes |= lanes;
        else if (lanes != 0)
            further_.push_back({lanes, until, timeline});
        std::erase_if(further_, [](const ahead& a) { return a.lanes == 0; });
    }
    /// A fact known of `all` lanes is known of the timeline.
    void complete_lanes(int timeline, std::uint64_t all)
    {
        std::uint64_t known = 0;
        std::uint32_t least = ~0U;
        for (const ahead& a : further_)
            if (a.timeline == timeline) {
                known |= a.lanes;
                least = a.until < least ? a.until : least;
            }
        if (known != all)
            return;
        time_[timeline] = time_[timeline] < least ? least : time_[timeline];
        forget_overtaken();
    }

    bool knows(const access_stamp& stamp) const { return stamp.time <= time_[stamp.wave] || knows_lane(stamp); }
    bool knows_lane(const access_stamp& stamp) const
    {
        return !further_.empty() && leave_unknown(stamp.wave, stamp.time, std::uint64_t{1} << stamp.lane) == 0;
    }
    /// Returns those of the lanes that are not known up to that time.
    std::uint64_t leave_unordered(int timeline, std::uint32_t time, std::uint64_t lanes) const
    {
        return time <= time_[timeline] ? 0 : leave_unknown(timeline, time, lanes);
    }
    /// Removes the lanes that are known one by one.
    std::uint64_t leave_unknown(int timeline, std::uint32_t time, std::uint64_t lanes) const
    {
        for (const ahead& a : further_)
            if (a.timeline == timeline && time <= a.until)
                lanes &= ~a.lanes;
        return lanes;
    }

private:
    /// Lanes that are known further than their timeline; each is in at most one entry.
    struct ahead
    {
        std::uint64_t lanes;
        std::uint32_t until;
        int timeline;
    };

    void forget_overtaken()
    {
        std::erase_if(further_, [this](const ahead& a) { return a.until <= time_[a.timeline]; });
    }

    int used_ = max_waves;
    std::uint32_t time_[max_timelines]{};
    std::vector<ahead> further_;
};

/// The knowledge of a wave, or of a synchronising object: what happened, and which of the stores among it are visible
/// to the asynchronous proxy, in shared and in global memory, by a proxy fence after them.
struct knowledge
{
    vector_clock happened;
    vector_clock shared; ///< what it knows in addition of accesses to shared memory
    vector_clock reads;  ///< what it knows in addition of reads
    vector_clock fenced;
    vector_clock fenced_global;
    std::vector<std::uint32_t> releases; ///< releases of blocks that ended before it began: see published_order

    void reset(int timelines, bool async_proxy)
    {
        happened.reset(timelines);
        shared.reset(async_proxy ? 0 : timelines); // with few entries, of single lanes
        reads.reset(0);
        fenced.reset(async_proxy ? timelines : 0);
        fenced_global.reset(async_proxy ? timelines : 0);
        releases.clear();
    }
    void join(const knowledge& other)
    {
        happened.join(other.happened);
        shared.join(other.shared);
        shared.forget_known(happened);
        reads.join(other.reads);
        reads.forget_known(happened);
        fenced.join(other.fenced);
        fenced_global.join(other.fenced_global);
        if (!other.releases.empty())
            join_releases(other.releases);
    }
    /// Joins knowledge of accesses to shared memory alone.
    void join_shared(const knowledge& other, int timelines)
    {
        shared.join_all(other.happened, timelines);
        shared.join(other.shared);
        shared.forget_known(happened);
        fenced.join(other.fenced);
    }
    /// Joins reads of the first `timelines`, the waves', and all accesses of the others, which are asynchronous.
    void join_reads(const knowledge& other, int timelines)
    {
        reads.join_all(other.happened, timelines);
        reads.join(other.reads);
        for (int i = timelines; i < max_timelines; ++i)
            happened.at(i) = happened.at(i) < other.happened.at(i) ? other.happened.at(i) : happened.at(i);
        reads.forget_known(happened);
    }
    void join_releases(const std::vector<std::uint32_t>& others)
    {
        for (const std::uint32_t r : others)
            if (const auto at = std::lower_bound(releases.begin(), releases.end(), r); at == releases.end() || *at != r)
                releases.insert(at, r);
    }
};

/// Facts that some lanes of a wave have acquired, each by itself, until the wave meets: of one phase of an mbarrier,
/// or, with one lane, of several.
struct acquisition
{
    static constexpr std::int64_t several = -1;
    std::int64_t source = 0; ///< serial number of the mbarrier
    std::int64_t phase = 0;
    std::uint64_t lanes = 0;
    knowledge known;
};

/// The kind of an access and its memory: some orders cover only part of them.
struct access_class
{
    bool shared = false;
    bool read = false;
};

/// A lane at a moment: its identity, its line of the program, and its knowledge.
struct observer
{
    access_stamp stamp;
    std::uint16_t site = 0; ///< see call_sites
    const knowledge* wave = nullptr;
    const std::vector<acquisition>* alone = nullptr; ///< null if there are none

    /// Those of the lanes of a timeline whose access of that class and time is not ordered before what this lane does
    /// now.
    std::uint64_t unordered(int timeline, std::uint32_t time, std::uint64_t lanes, access_class what = {}) const
    {
        const std::uint32_t known = wave->happened.at(timeline);
        if (timeline == stamp.wave) {
            if (time < known)
                return 0;
            lanes &= ~(std::uint64_t{1} << stamp.lane);
        } else if (time <= known || (what.shared && time <= wave->shared.at(timeline))) {
            return 0;
        }
        return lanes == 0 ? 0 : leave_unordered(timeline, time, lanes, what);
    }
    bool in_order(const access_stamp& before, access_class what = {}) const
    {
        return unordered(before.wave, before.time, std::uint64_t{1} << before.lane, what) == 0;
    }
    /// A store is visible to the asynchronous proxy.
    bool fenced(const access_stamp& store, bool global) const
    {
        if ((global ? wave->fenced_global : wave->fenced).knows(store))
            return true;
        if (alone != nullptr)
            for (const acquisition& a : *alone)
                if ((a.lanes >> stamp.lane & 1) != 0 && (global ? a.known.fenced_global : a.known.fenced).knows(store))
                    return true;
        return false;
    }

private:
    /// Looks at what is known of single lanes, and of part of memory. Not inlined, so that the caller is short.
    [[gnu::noinline]] std::uint64_t leave_unordered(int timeline, std::uint32_t time, std::uint64_t lanes,
                                                    access_class what) const
    {
        lanes = wave->happened.leave_unknown(timeline, time, lanes);
        if (lanes != 0)
            lanes = leave_unordered(*wave, timeline, time, lanes, what);
        return lanes != 0 && alone != nullptr ? unordered_alone(timeline, time, lanes, what) : lanes;
    }
    static std::uint64_t leave_unordered(const knowledge& known, int timeline, std::uint32_t time, std::uint64_t lanes,
                                         access_class what)
    {
        if (what.shared)
            lanes = known.shared.leave_unordered(timeline, time, lanes);
        return what.read && lanes != 0 ? known.reads.leave_unordered(timeline, time, lanes) : lanes;
    }
    std::uint64_t unordered_alone(int timeline, std::uint32_t time, std::uint64_t lanes, access_class what) const
    {
        for (const acquisition& a : *alone)
            if ((a.lanes >> stamp.lane & 1) != 0) {
                lanes = a.known.happened.leave_unordered(timeline, time, lanes);
                if (lanes != 0)
                    lanes = leave_unordered(a.known, timeline, time, lanes, what);
            }
        return lanes;
    }
};

} // namespace tegula::emulator::detail
