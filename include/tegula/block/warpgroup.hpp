#pragma once

#include <tegula/arch/nvidia/cluster.hpp>

namespace tegula {

/// A warpgroup as a target of its own: waves are counted in it, and a barrier is for its 128 threads.
template <class Target>
struct warpgroup : Target
{
    static constexpr int threads = 128;

    static TEGULA_INLINE int wave_id() { return Target::wave_id() % 4; }
    static TEGULA_INLINE int number() { return Target::uniform(Target::wave_id() / 4); }
    static TEGULA_INLINE void block_barrier(call_site where = call_site::here())
    {
        arch::nvidia::named_barrier(1 + Target::wave_id() / 4, threads, where);
    }
    static TEGULA_INLINE void require_block_threads(int) {}
};

/// Registers of each thread after the warpgroups have shared out those of the multiprocessor (setmaxnreg): the values
/// published for one, two and three consumers next to one producing warpgroup.
struct warpgroup_registers
{
    int producer = 0;
    int consumer = 0;
    static constexpr int pool = 65536 / 128; ///< a multiprocessor's, in registers of 128 threads

    static constexpr warpgroup_registers of(int consumers, int accumulators)
    {
        if (consumers == 1)
            return {56, 256};
        if (consumers == 3)
            return {32, 160};
        return accumulators + 32 <= 232 ? warpgroup_registers{40, 232} : warpgroup_registers{24, 240};
    }
    constexpr int all(int consumers) const { return producer + consumers * consumer; }
};

/// The turn to issue matrix instructions. Warpgroups that compute take turns, so that one's products overlap with what
/// the others do between theirs. Uses named barriers `FirstId` and the `Count - 1` after it; a whole warpgroup calls. One
/// warpgroup alone has every turn.
template <int Count, int FirstId>
class warpgroup_turns
{
public:
    /// `own`: the warpgroup's number among those that take turns.
    TEGULA_INLINE explicit warpgroup_turns(int own) : own_(own)
    {
        if (own_ == Count - 1)
            pass(); // the first one's first turn
    }
    TEGULA_INLINE void take() const
    {
        if constexpr (Count > 1)
            arch::nvidia::named_barrier(FirstId + own_, threads);
    }
    TEGULA_INLINE void pass() const
    {
        if constexpr (Count > 1)
            arch::nvidia::named_barrier_arrive(FirstId + (own_ + 1 == Count ? 0 : own_ + 1), threads);
    }
    /// Called after the last turn, so that every arrival meets its wait.
    TEGULA_INLINE void end() const
    {
        if (own_ == 0)
            take();
    }

private:
    static constexpr int threads = 256; ///< one warpgroup passes the turn, one takes it
    int own_;
};

} // namespace tegula
