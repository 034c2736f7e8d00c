#pragma once

#include "hopper.hpp"
#include "planted.hpp"

/// Helpers for planted bugs that only sm_90a has.

namespace planted {

/// One block of two waves, as in hopper.hpp, with the memory of a ground.
struct hopper_ground : ground
{
    hopper_ground()
    {
        config = hopper::one_block();
        refill();
    }
};

inline int lane() { return hopper::target::lane_id(); }
inline int wave() { return hopper::target::wave_id(); }
inline int thread() { return hopper::target::thread_id(); }
inline void barrier_if(bool right)
{
    if (right)
        hopper::target::block_barrier();
}
/// mbarriers, and shared memory that holds something.
inline void begin(int barriers, int arrivals)
{
    put<int>(thread(), 1);
    hopper::make_barriers(barriers, arrivals);
}

} // namespace planted
