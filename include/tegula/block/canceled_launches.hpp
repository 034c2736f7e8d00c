#pragma once

#include <tegula/arch/nvidia/launch_control.hpp>
#include <tegula/block/tensor_core_ring.hpp>

namespace tegula {

/// How a role of a block takes its next tile from canceled_launches: the lane that loads operands, the one that loads C0,
/// another lane, or a wave.
enum class launch_reader { loading_lane, source_lane, lane, wave };

/// Clusters take over the launches of other clusters, one after the other. One lane of the first block asks, and every
/// role of every block reads the responses. The next request goes out when loads of the last granted tile begin, so
/// that no cluster takes more than one tile ahead of time.
///
///   Blocks   blocks of the cluster, 1 or 2
///   Readers  lanes and waves of a block that read. In the first block the lane that asks does not count; in the other
///            block the lane that listens does
template <int Blocks, int Readers>
struct canceled_launches
{
    static constexpr int slots = 2;
    using position = stage_position<slots>;

    arch::nvidia::cancel_response responses[slots];
    stage_barriers<slots> ring;
    arch::nvidia::mbarrier loading[slots]; ///< used in the first block: its producer begins to load that tile

    /// Called by one lane of each block; a barrier of all blocks follows.
    TEGULA_INLINE void initialize()
    {
        ring.initialize(Readers * Blocks);
        static_for<slots>([&](auto s) { arch::nvidia::mbarrier_init(&loading[s], 1); });
    }

    /// Called by one lane of each block: asks for launch after launch until a request is refused.
    TEGULA_INLINE void request_all()
    {
        position at;
        for (bool granted = true; granted; at.advance()) {
            if (leads_group<Blocks>()) {
                ring.claim(at, 16);
                arch::nvidia::try_cancel<Blocks>(&responses[at.stage], &ring.full[at.stage]);
            } else {
                arch::nvidia::mbarrier_arrive_expect(&ring.full[at.stage], 16); // has seen the last response
            }
            granted = read(at).granted;
            if (!leads_group<Blocks>())
                release(at);
            else if (granted)
                arch::nvidia::mbarrier_wait(&loading[at.stage], at.parity);
        }
        if (leads_group<Blocks>())
            ring.drain(at); // no arrival of the other block is in flight
    }

    /// Called by a reader: its next launch.
    template <class Target, launch_reader Reader>
    TEGULA_INLINE arch::nvidia::canceled_cluster next(const position& at)
    {
        const arch::nvidia::canceled_cluster launch = read(at);
        if constexpr (Reader == launch_reader::loading_lane)
            if (leads_group<Blocks>() && launch.granted)
                arch::nvidia::mbarrier_arrive(&loading[at.stage]);
        if constexpr (Reader == launch_reader::wave)
            Target::wave_barrier();
        if (Reader != launch_reader::wave || Target::lane_id() == 0)
            release(at);
        return launch;
    }

private:
    TEGULA_INLINE arch::nvidia::canceled_cluster read(const position& at)
    {
        ring.wait(at);
        return arch::nvidia::read_response(&responses[at.stage]);
    }
    TEGULA_INLINE void release(const position& at)
    {
        if constexpr (Blocks == 1)
            arch::nvidia::mbarrier_arrive(&ring.empty[at.stage]);
        else
            arch::nvidia::mbarrier_arrive(arch::nvidia::address_in_peer(ring.empty, arch::nvidia::cluster_rank() & ~1),
                                          at.stage);
    }
};

/// Takes the place of canceled launches in kernels that take over none.
struct no_canceled_launches
{};

} // namespace tegula
