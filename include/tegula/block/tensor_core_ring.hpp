#pragma once

#include <tegula/arch/nvidia/tensor_memory.hpp>
#include <tegula/block/stage_pipeline.hpp>

/// The barriers of blocks in which the tensor core multiplies from rings of stages in shared memory into rings of
/// accumulators in tensor memory. Blocks is 1, or 2 for a pair, whose first block issues the products of both.

namespace tegula {

/// Whether this block issues the products of its group.
template <int Blocks>
TEGULA_INLINE bool leads_group()
{
    return Blocks == 1 || arch::nvidia::cluster_rank() % 2 == 0;
}

/// Called by all lanes of a wave after their loads or stores of tensor memory are done (tensor_wait_loads,
/// tensor_wait_stores): arrives once, for products that may come after them.
template <class Target>
TEGULA_INLINE void arrive_after_tensor_access(arch::nvidia::mbarrier* barrier)
{
    arch::nvidia::tensor_fence_before();
    Target::wave_barrier();
    if (Target::lane_id() == 0)
        arch::nvidia::mbarrier_arrive(barrier);
}

/// The mbarriers of a ring of operand stages.
///
///   full[s]   in the first block: its producer arrives and expects the bytes of all blocks. Waves that fill a part
///             through registers arrive too, in any block
///   empty[s]  in each block: the products that read the stage are over
///
///   Makers    waves of a block that fill a part through registers
template <int Stages, int Blocks, int Makers = 0>
struct tensor_core_stages
{
    using position = stage_position<Stages>;
    using barrier_type =
        std::conditional_t<Blocks == 1, arch::nvidia::mbarrier*, arch::nvidia::peer_address<arch::nvidia::mbarrier>>;
    /// Tensor copies count their bytes at the mbarrier. Stores of the peer's lanes need arrivals of cluster scope.
    static constexpr auto full_scope =
        Blocks > 1 && Makers > 0 ? arch::nvidia::mbarrier_scope::cluster : arch::nvidia::mbarrier_scope::block;

    stage_barriers<Stages> ring;

    /// Called by one lane of each block; a barrier of all blocks follows.
    TEGULA_INLINE void initialize() { ring.initialize(1, 1 + Makers * Blocks); }

    /// Called by the producing lane of each block, before it fills its part of the stage, `bytes` bytes.
    TEGULA_INLINE barrier_type claim(const position& at, int bytes)
    {
        if constexpr (Blocks == 1) {
            return ring.claim(at, bytes);
        } else {
            if (leads_group<Blocks>())
                ring.claim(at, Blocks * bytes);
            else
                arch::nvidia::mbarrier_wait(&ring.empty[at.stage], at.parity ^ 1);
            return arch::nvidia::address_in_peer(&ring.full[at.stage], arch::nvidia::cluster_rank() & ~1);
        }
    }
    /// Called by all lanes of a wave that fills a part through registers, before it writes.
    TEGULA_INLINE void claim_made(const position& at) { ring.claim_made(at); }
    /// Called by all lanes of that wave, after it has written.
    template <class Target>
    TEGULA_INLINE void publish_made(const position& at)
    {
        if constexpr (Blocks == 1) {
            ring.template publish_made<Target>(at);
        } else {
            arch::nvidia::fence_proxy_async();
            Target::wave_barrier();
            if (Target::lane_id() == 0) // the leader's products read what this block's lanes stored
                arch::nvidia::mbarrier_arrive<full_scope>(
                    arch::nvidia::address_in_peer(ring.full, arch::nvidia::cluster_rank() & ~1), at.stage);
        }
    }
    /// Called by the producing lane before it returns: the products that read its stages are over, and no commit for
    /// them is in flight.
    TEGULA_INLINE void drain(const position& at) { ring.drain(at); }
    /// Called by the lane that issues the products, before those that read the stage.
    TEGULA_INLINE void wait(const position& at)
    {
        ring.template wait<full_scope>(at);
        arch::nvidia::tensor_fence_after(); // for stages whose operands lie in tensor memory; no kernel has one
    }
    /// Called by the issuing lane, after those products.
    TEGULA_INLINE void release(const position& at)
    {
        if constexpr (Blocks == 1)
            arch::nvidia::tensor_commit<1>(&ring.empty[at.stage]);
        else
            arch::nvidia::tensor_commit_multicast<Blocks>(&ring.empty[at.stage], pair_mask());
    }

    /// Called by the issuing lane: waits until the products before the release of this round of the stage are over.
    TEGULA_INLINE void wait_released(const position& at)
    {
        arch::nvidia::mbarrier_wait(&ring.empty[at.stage], at.parity);
        arch::nvidia::tensor_fence_after();
    }

    /// The blocks of this block's pair.
    static TEGULA_INLINE std::uint16_t pair_mask()
    {
        return static_cast<std::uint16_t>(3 << (arch::nvidia::cluster_rank() & ~1));
    }
};

/// The places in tensor memory to which the lane that issues block-scaled products has the scales of stages copied: each
/// stage has its own, or stages take turns in `Slots` places.
template <int Stages, int Slots>
class tensor_scale_slots
{
public:
    /// The place for the next step, which is at stage `at` of the ring. Its last products are over.
    template <class Ring>
    TEGULA_INLINE int next(Ring& ring, const stage_position<Stages>& at)
    {
        if constexpr (Slots >= Stages) {
            return at.stage;
        } else {
            if (all_used_) {
                ring.wait_released(oldest_);
                oldest_.advance();
            }
            const int slot = slot_;
            if (++slot_ == Slots) {
                slot_ = 0;
                all_used_ = true;
            }
            return slot;
        }
    }

private:
    stage_position<Stages> oldest_; ///< the step whose products read the scales that are overwritten next
    int slot_ = 0;
    bool all_used_ = false;
};

/// The mbarriers of a ring of accumulators that `Waves` waves of each block read.
///
///   full[s]   in each block: the products are over
///   empty[s]  in the first block: every wave of all blocks has read the accumulators
template <int Stages, int Blocks, int Waves>
struct accumulator_ring
{
    using position = stage_position<Stages>;

    arch::nvidia::mbarrier full[Stages];
    arch::nvidia::mbarrier empty[Stages];

    TEGULA_INLINE void initialize()
    {
        static_for<Stages>([&](auto s) {
            arch::nvidia::mbarrier_init(&full[s], 1);
            arch::nvidia::mbarrier_init(&empty[s], Waves * Blocks);
        });
    }
    /// Called by the lane that issues the products, before the first of them.
    TEGULA_INLINE void claim(const position& at)
    {
        arch::nvidia::mbarrier_wait(&empty[at.stage], at.parity ^ 1); // the first round finds all of them empty
        arch::nvidia::tensor_fence_after();
    }
    /// Called by the issuing lane, after the last product.
    TEGULA_INLINE void publish(const position& at)
    {
        if constexpr (Blocks == 1)
            arch::nvidia::tensor_commit<1>(&full[at.stage]);
        else
            arch::nvidia::tensor_commit_multicast<Blocks>(&full[at.stage], tensor_core_stages<1, Blocks>::pair_mask());
    }
    /// Called by the issuing lane before it returns: waits until all accumulators were read and no arrival is pending.
    TEGULA_INLINE void drain(position at)
    {
        TEGULA_ROLLED
        for (int s = 0; s < Stages; ++s, at.advance())
            arch::nvidia::mbarrier_wait(&empty[at.stage], at.parity ^ 1);
    }
    /// Called by all lanes of a wave that reads them.
    TEGULA_INLINE void wait(const position& at)
    {
        arch::nvidia::mbarrier_wait(&full[at.stage], at.parity);
        arch::nvidia::tensor_fence_after();
    }
    /// Called by each reading wave, after its loads are done (tensor_wait_loads).
    template <class Target>
    TEGULA_INLINE void release(const position& at)
    {
        if constexpr (Blocks == 1) {
            arrive_after_tensor_access<Target>(&empty[at.stage]);
        } else {
            arch::nvidia::tensor_fence_before();
            Target::wave_barrier();
            if (Target::lane_id() == 0)
                arch::nvidia::mbarrier_arrive(arch::nvidia::address_in_peer(empty, arch::nvidia::cluster_rank() & ~1),
                                              at.stage);
        }
    }
};

} // namespace tegula
