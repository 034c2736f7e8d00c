#pragma once

#include <tegula/arch/nvidia/mbarrier.hpp>

/// Clusters of blocks and the waves of a block, from sm_90a on: ranks, barriers, peers' shared memory, registers.

namespace tegula::arch::nvidia {

/// The rank of this block in its cluster, x fastest.
TEGULA_INLINE int cluster_rank()
{
#if TEGULA_CLUSTER_PASS
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return static_cast<int>(rank);
#elif !TEGULA_DEVICE_PASS
    return emulation::cluster_rank();
#else
    return 0;
#endif
}
/// The number of blocks in the cluster.
TEGULA_INLINE int cluster_blocks()
{
#if TEGULA_CLUSTER_PASS
    unsigned blocks;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    return static_cast<int>(blocks);
#elif !TEGULA_DEVICE_PASS
    return emulation::cluster_blocks();
#else
    return 1;
#endif
}

/// Half of the cluster's barrier, for all threads of all its blocks: releases what they did before.
TEGULA_INLINE void cluster_arrive([[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::cluster_arrive(where);
#endif
}
/// The other half: returns when every thread of the cluster that has not returned from the kernel has arrived.
TEGULA_INLINE void cluster_wait([[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::cluster_wait(where);
#endif
}
TEGULA_INLINE void cluster_barrier([[maybe_unused]] call_site where = call_site::here())
{
    cluster_arrive(where);
    cluster_wait(where);
}

/// cluster_arrive() that releases only initialisations of mbarriers that a fence_mbarrier_init() follows. It lacks the
/// GPU-wide fence with which cluster_arrive() begins.
TEGULA_INLINE void cluster_arrive_relaxed([[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::cluster_arrive_relaxed(where);
#endif
}

/// The address of `shared` in the shared memory of block `rank` of the cluster. That memory may be loaded and stored
/// while the block runs, which a cluster barrier at the end ensures.
template <class T>
TEGULA_INLINE T* in_peer(T* shared, [[maybe_unused]] int rank, [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    std::uint64_t address;
    asm("mapa.u64 %0, %1, %2;" : "=l"(address) : "l"(shared), "r"(rank));
    return reinterpret_cast<T*>(address);
#elif !TEGULA_DEVICE_PASS
    return reinterpret_cast<T*>(emulation::in_peer(shared, rank, where));
#else
    return shared;
#endif
}

/// True in one lane of the wave, always the same one; every lane of the wave calls it.
TEGULA_INLINE bool elect_one([[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    unsigned elected;
    asm volatile("{\n\t"
                 ".reg .pred chosen;\n\t"
                 "elect.sync _|chosen, 0xffffffff;\n\t"
                 "selp.u32 %0, 1, 0, chosen;\n\t"
                 "}"
                 : "=r"(elected));
    return elected != 0;
#elif !TEGULA_DEVICE_PASS
    emulation::whole_wave("elect", where);
    return emulation::lane_id() == 0;
#else
    return false;
#endif
}

/// A barrier of `threads` threads of the block, whole waves of them that all name the same count; Id is 1 to 15.
TEGULA_INLINE void named_barrier([[maybe_unused]] int id, [[maybe_unused]] int threads,
                                 [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_NVIDIA_PASS
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::named_barrier(id, threads, where);
#endif
}
/// The wave counts as arrived and goes on: what it did before is visible to waves that wait by named_barrier().
TEGULA_INLINE void named_barrier_arrive([[maybe_unused]] int id, [[maybe_unused]] int threads,
                                        [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_NVIDIA_PASS
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::named_barrier_arrive(id, threads, where);
#endif
}

namespace detail {
template <bool Ok, int Registers>
struct register_count_can_be_set
{
    static_assert(Ok, "tegula: setmaxnreg takes a multiple of 8 from 24 to 256; "
                      "the arguments are {ok, registers}");
};
} // namespace detail

/// From here on each lane of the warpgroup has that many registers, more than before: waits until others have given
/// enough back. All four waves call it.
template <int Registers>
TEGULA_INLINE void increase_registers([[maybe_unused]] call_site where = call_site::here())
{
    static_cast<void>(detail::register_count_can_be_set < Registers % 8 == 0 && Registers >= 24 && Registers <= 256,
                      Registers > {});
#if TEGULA_CLUSTER_PASS
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
#elif !TEGULA_DEVICE_PASS
    emulation::set_registers(Registers, true, where);
#endif
}
/// Leaves each lane of the warpgroup that many registers, fewer than before.
template <int Registers>
TEGULA_INLINE void decrease_registers([[maybe_unused]] call_site where = call_site::here())
{
    static_cast<void>(detail::register_count_can_be_set < Registers % 8 == 0 && Registers >= 24 && Registers <= 256,
                      Registers > {});
#if TEGULA_CLUSTER_PASS
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
#elif !TEGULA_DEVICE_PASS
    emulation::set_registers(Registers, false, where);
#endif
}

} // namespace tegula::arch::nvidia
