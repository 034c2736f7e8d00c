#pragma once

#include <tegula/arch/nvidia/cluster.hpp>
#include <tegula/core/static_for.hpp>

namespace tegula {

/// Where a producer or a consumer stands in a ring of stages: the stage that is next and how often the ring was gone
/// through, of which the parity counts.
template <int Stages>
struct stage_position
{
    int stage = 0;
    int round = 0;

    TEGULA_INLINE void advance()
    {
        if (++stage == Stages) {
            stage = 0;
            ++round;
        }
    }
    /// Passes over `steps` stages that somebody else takes.
    TEGULA_INLINE void skip(index_t steps)
    {
        const index_t to = stage + steps;
        round += to / Stages;
        stage = to % Stages;
    }
};

/// The mbarriers of a ring of stages between one producing lane and consuming waves, in the blocks of a cluster that
/// copy into each other's shared memory.
///
///   full[s]   its own producer arrives and expects the bytes of a stage, whoever copies them
///   empty[s]  each consuming wave of each block that the producer copies to arrives
template <int Stages>
struct stage_barriers
{
    using mbarrier = arch::nvidia::mbarrier;
    using position = stage_position<Stages>;

    mbarrier full[Stages];
    mbarrier empty[Stages];

    /// By one lane of the block; a cluster barrier follows.
    TEGULA_INLINE void initialize(int consumers)
    {
        static_for<Stages>([&](auto s) {
            arch::nvidia::mbarrier_init(&full[s], 1);
            arch::nvidia::mbarrier_init(&empty[s], consumers);
        });
    }
    /// By the producer, before it fills the stage with `bytes` bytes.
    TEGULA_INLINE mbarrier* claim(const position& at, int bytes)
    {
        arch::nvidia::mbarrier_wait(&empty[at.stage], (at.round & 1) ^ 1); // the first round finds all stages empty
        arch::nvidia::mbarrier_arrive_expect(&full[at.stage], bytes);
        return &full[at.stage];
    }
    /// By a consumer, before it reads the stage.
    TEGULA_INLINE void wait(const position& at) { arch::nvidia::mbarrier_wait(&full[at.stage], at.round & 1); }
};

} // namespace tegula
