#pragma once

#include <tegula/arch/nvidia/cluster.hpp>
#include <tegula/core/static_for.hpp>

namespace tegula {

/// Where a producer or a consumer stands in a ring of stages: the next stage, and the parity of the rounds so far, by
/// which waits for mbarriers tell phases apart.
template <int Stages>
struct stage_position
{
    int stage = 0;
    int parity = 0;

    TEGULA_INLINE void advance()
    {
        if (++stage == Stages) {
            stage = 0;
            parity ^= 1;
        }
    }
    /// Skips `steps` stages, which others use.
    TEGULA_INLINE void skip(index_t steps)
    {
        const index_t to = stage + steps;
        parity ^= to / Stages & 1;
        stage = to % Stages;
    }
};

/// The mbarriers of a ring of stages between one producing lane and consuming waves, in the blocks of a cluster that
/// copy into each other's shared memory.
///
///   full[s]   its own producer arrives and expects the bytes of a stage, whichever block copies them
///   empty[s]  each consuming wave of each block that the producer copies to arrives
template <int Stages>
struct stage_barriers
{
    using mbarrier = arch::nvidia::mbarrier;
    using position = stage_position<Stages>;

    mbarrier full[Stages];
    mbarrier empty[Stages];

    /// Called by one lane of the block; a cluster barrier follows. `producers`: arrivals that fill a stage.
    TEGULA_INLINE void initialize(int consumers, int producers = 1)
    {
        static_for<Stages>([&](auto s) {
            arch::nvidia::mbarrier_init(&full[s], producers);
            arch::nvidia::mbarrier_init(&empty[s], consumers);
        });
    }
    /// Called by the producer, before it fills the stage with `bytes` bytes.
    TEGULA_INLINE mbarrier* claim(const position& at, int bytes, call_site where = call_site::here())
    {
        arch::nvidia::mbarrier_wait(&empty[at.stage], at.parity ^ 1, where); // the first round finds all stages empty
        arch::nvidia::mbarrier_arrive_expect(&full[at.stage], bytes, where);
        return &full[at.stage];
    }
    /// Called by lanes that fill the stage with stores of their own, before these stores.
    TEGULA_INLINE void claim_made(const position& at, call_site where = call_site::here())
    {
        arch::nvidia::mbarrier_wait(&empty[at.stage], at.parity ^ 1, where);
    }
    /// Called by all lanes of a wave, after such stores: products of the block may then read the stage.
    template <class Target>
    TEGULA_INLINE void publish_made(const position& at, call_site where = call_site::here())
    {
        arch::nvidia::fence_proxy_async(where);
        Target::wave_barrier(where);
        if (Target::lane_id() == 0)
            arch::nvidia::mbarrier_arrive(&full[at.stage], where);
    }
    /// Called by the producer before it returns. Waits until every stage it filled has been read; the last consumers
    /// may be in other blocks.
    TEGULA_INLINE void drain(position at, call_site where = call_site::here())
    {
        TEGULA_ROLLED
        for (int s = 0; s < Stages; ++s, at.advance())
            arch::nvidia::mbarrier_wait(&empty[at.stage], at.parity ^ 1, where);
    }
    /// Called by a consumer before it reads the stage. Scope must include all that fill it.
    template <arch::nvidia::mbarrier_scope Scope = arch::nvidia::mbarrier_scope::block>
    TEGULA_INLINE void wait(const position& at, call_site where = call_site::here())
    {
        arch::nvidia::mbarrier_wait<Scope>(&full[at.stage], at.parity, where);
    }
};

/// How one lane of a consuming wave reports that the wave has read a stage: to its own block, or to a block of the
/// cluster that copies into this one.
template <int Stages, bool InCluster>
class stage_release
{
public:
    /// `active`: false for lanes that report to no block. `rank`: the block's rank in the cluster.
    TEGULA_INLINE stage_release(stage_barriers<Stages>& stages, bool active, int rank) : active_(active)
    {
        if constexpr (InCluster)
            empty_ = arch::nvidia::address_in_peer(stages.empty, rank);
        else
            empty_ = stages.empty;
    }
    TEGULA_INLINE void operator()(int stage, call_site where = call_site::here()) const
    {
        if (!active_)
            return;
        if constexpr (InCluster)
            arch::nvidia::mbarrier_arrive(empty_, stage, where);
        else
            arch::nvidia::mbarrier_arrive(empty_ + stage, where);
    }

private:
    std::conditional_t<InCluster, arch::nvidia::peer_address<arch::nvidia::mbarrier>, arch::nvidia::mbarrier*> empty_;
    bool active_;
};

} // namespace tegula
