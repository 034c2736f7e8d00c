#pragma once

#include <tegula/emulator/state.hpp>

namespace tegula::emulator::detail {

/// Who did something to shared memory, and when by the clock of its wave.
struct access_stamp
{
    std::uint32_t time = 0;
    std::uint8_t wave = 0; ///< timeline: see vector_clock
    std::uint8_t lane = 0;
};

/// Timelines of a vector clock: one a wave of the cluster, then those of asynchronous work.
inline constexpr int max_timelines = 128;

/// What a wave knows to have happened: everything timeline `w` did up to its time at(w), and what single lanes of it
/// did a little longer. Its own entry is its present time, which each wave barrier and each release moves on. A
/// barrier, or any other synchronising object, keeps one of these: waves that release join theirs into it, waves that
/// acquire join it into theirs.
class vector_clock
{
public:
    /// Forgets everything; `timelines` are in use from now on.
    void reset(int timelines)
    {
        used_ = timelines;
        partial_ = false;
        for (int i = 0; i < used_; ++i) {
            time_[i] = 0;
            lanes_[i] = 0;
        }
    }

    std::uint32_t& at(int timeline) { return time_[timeline]; }
    std::uint32_t at(int timeline) const { return time_[timeline]; }

    void join(const vector_clock& other)
    {
        for (int i = 0; i < used_; ++i)
            time_[i] = time_[i] < other.time_[i] ? other.time_[i] : time_[i];
        if (other.partial_)
            for (int i = 0; i < used_; ++i)
                if (other.lanes_[i] != 0)
                    join_lanes(i, other.lanes_[i], other.until_[i]);
    }

    /// Some lanes of the timeline are known further than the rest of it, up to `until`.
    void join_lanes(int timeline, std::uint64_t lanes, std::uint32_t until)
    {
        if (until <= time_[timeline])
            return;
        if (until_[timeline] <= time_[timeline] || lanes_[timeline] == 0) {
            lanes_[timeline] = 0;
            until_[timeline] = until;
        }
        lanes_[timeline] |= lanes;
        until_[timeline] = until_[timeline] < until ? until : until_[timeline];
        partial_ = true;
    }
    /// When that is true of `all` lanes, it is true of the timeline.
    void complete_lanes(int timeline, std::uint64_t all)
    {
        if (lanes_[timeline] == all && time_[timeline] < until_[timeline])
            time_[timeline] = until_[timeline];
    }

    bool knows(const access_stamp& stamp) const { return stamp.time <= time_[stamp.wave] || knows_lane(stamp); }
    bool knows_lane(const access_stamp& stamp) const
    {
        return partial_ && stamp.lane < max_lanes && stamp.time <= until_[stamp.wave] &&
               (lanes_[stamp.wave] >> stamp.lane & 1) != 0;
    }

private:
    int used_ = max_waves;
    bool partial_ = false;
    std::uint32_t time_[max_timelines]{};
    std::uint32_t until_[max_timelines]{};
    std::uint64_t lanes_[max_timelines]{};
};

/// What a wave, or a synchronising object, knows: what happened, and which of the stores among it a proxy fence behind
/// them made visible to the asynchronous proxy.
struct knowledge
{
    vector_clock happened;
    vector_clock fenced;

    void reset(int timelines, bool async_proxy)
    {
        happened.reset(timelines);
        fenced.reset(async_proxy ? timelines : 0);
    }
    void join(const knowledge& other)
    {
        happened.join(other.happened);
        fenced.join(other.fenced);
    }
};

} // namespace tegula::emulator::detail
