#pragma once

#include <tegula/arch/nvidia/primitives.hpp>

#if !TEGULA_DEVICE_PASS
#include <tegula/emulator/async.hpp>
#endif

#if TEGULA_SPECIFIC_PASS >= 900
#define TEGULA_CLUSTER_PASS 1
#else
#define TEGULA_CLUSTER_PASS 0
#endif

/// mbarriers, from sm_90a on: objects in shared memory that count arrivals of lanes and bytes of bulk copies, phase
/// after phase. A phase is complete when it has as many arrivals as the mbarrier was initialised for, and all expected
/// bytes. Phases have the parities 0, 1, 0, 1 ... The phase before the first, of parity 1, counts as complete. So a
/// producer, which waits until a buffer is free, starts with parity 1. A consumer, which waits for data, starts with 0.

namespace tegula::arch::nvidia {

/// An mbarrier. It lies in shared memory, and only the functions here may touch it.
struct alignas(8) mbarrier
{
    std::uint64_t opaque;
};

#if TEGULA_NVIDIA_PASS
/// An address in shared memory as instructions take it.
__device__ __forceinline__ unsigned shared_offset(const void* shared)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}
#endif

/// One lane initialises. fence_mbarrier_init() by the same lane must follow, then a barrier of all that use it.
TEGULA_INLINE void mbarrier_init([[maybe_unused]] mbarrier* barrier, [[maybe_unused]] int arrivals,
                                 [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_offset(barrier)), "r"(arrivals) : "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::mbarrier_init(barrier, arrivals, where);
#endif
}
/// Ends the mbarrier: its memory may then be used for something else.
TEGULA_INLINE void mbarrier_invalidate([[maybe_unused]] mbarrier* barrier,
                                       [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_offset(barrier)) : "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::mbarrier_invalidate(barrier, where);
#endif
}
/// Makes this lane's initialisations visible to bulk copies and to the other blocks of the cluster.
TEGULA_INLINE void fence_mbarrier_init([[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::fence_mbarrier_init(where);
#endif
}

/// The lanes that see what a lane wrote before it arrived at an mbarrier (release), once they have waited for it (acquire).
enum class mbarrier_scope {
    block,   ///< only lanes of the block
    cluster, ///< lanes of all blocks of the cluster, which see only writes to shared memory
};

/// One arrival; releases what the lane did before to its block.
TEGULA_INLINE void mbarrier_arrive([[maybe_unused]] mbarrier* barrier,
                                   [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_offset(barrier)) : "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::mbarrier_arrive(barrier, 1, 0, where);
#endif
}
/// Expects `bytes` more in the open phase, then arrives.
TEGULA_INLINE void mbarrier_arrive_expect([[maybe_unused]] mbarrier* barrier, [[maybe_unused]] int bytes,
                                          [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_offset(barrier)), "r"(bytes)
                 : "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::mbarrier_arrive(barrier, 1, bytes, where);
#endif
}
/// Expects `bytes` more in the open phase, without an arrival.
TEGULA_INLINE void mbarrier_expect([[maybe_unused]] mbarrier* barrier, [[maybe_unused]] int bytes,
                                   [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_offset(barrier)), "r"(bytes)
                 : "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::mbarrier_expect(barrier, bytes, where);
#endif
}
/// The address of objects in the shared memory of a block of the cluster, as other blocks' arrivals and asynchronous
/// stores name it.
template <class T>
struct peer_address
{
#if TEGULA_DEVICE_PASS
    unsigned first;
#else
    T* first;
#endif
};
/// The address of the place in block `rank` of the cluster that lies where `shared` lies in this block. Rank may be
/// this block's own.
template <class T>
TEGULA_INLINE peer_address<T> address_in_peer([[maybe_unused]] T* shared, [[maybe_unused]] int rank,
                                              [[maybe_unused]] call_site where = call_site::here())
{
    peer_address<T> at{};
#if TEGULA_CLUSTER_PASS
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at.first) : "r"(shared_offset(shared)), "r"(rank));
#elif !TEGULA_DEVICE_PASS
    at.first = reinterpret_cast<T*>(emulation::in_peer(shared, rank, where));
#endif
    return at;
}
/// One arrival at the mbarrier `number` places after `at`, perhaps in another block. It says that reads whose values
/// this lane has, and asynchronous ones that it has waited for, are over, so that what they read may be overwritten.
///
/// Scope  block    lanes of another block do not see this lane's stores by it
///        cluster  a lane that waits with the same scope sees this lane's stores to shared memory, and those of its own block's
///                 lanes that it has seen
template <mbarrier_scope Scope = mbarrier_scope::block>
TEGULA_INLINE void mbarrier_arrive([[maybe_unused]] peer_address<mbarrier> at, [[maybe_unused]] int number,
                                   [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    const unsigned offset = at.first + 8 * number;
    // Without a scope an arrival is .release.cta, which synchronises with no thread of another block. PTX ISA, "membar,
    // fence": .sync_restrict::shared::cta limits a release of cluster scope to this block's shared memory, and ptxas
    // makes a fence of the block of it. fence.acq_rel.cluster and mbarrier.arrive.release.cluster release global memory
    // too, and become MEMBAR.ALL.GPU with ERRBAR.
    if constexpr (Scope == mbarrier_scope::cluster) {
        asm volatile("fence.release.sync_restrict::shared::cta.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(offset) : "memory");
    } else {
        asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(offset) : "memory");
    }
#elif !TEGULA_DEVICE_PASS
    emulation::mbarrier_arrive(at.first + number, 1, 0, where,
                               Scope == mbarrier_scope::cluster ? thread_scope::cluster : thread_scope::block);
#endif
}
/// One arrival at the place of `barrier` in block `rank` of the cluster.
TEGULA_INLINE void mbarrier_arrive_at(mbarrier* barrier, int rank, call_site where = call_site::here())
{
    mbarrier_arrive(address_in_peer(barrier, rank, where), 0, where);
}

/// The 16 bytes of one asynchronous store.
using stored_words = array<std::uint32_t, 4>;

/// Starts to store 16 bytes at the place `number` of `to`, in a block of the cluster, perhaps this one. They count as a
/// copy's at the mbarrier `arrived` of the same block: lanes that wait for its phase see them, with the scope of a
/// cluster. The place must not be in use: its block says so by an arrival of that scope.
TEGULA_INLINE void store_async([[maybe_unused]] peer_address<stored_words> to, [[maybe_unused]] int number,
                               [[maybe_unused]] const stored_words& value,
                               [[maybe_unused]] peer_address<mbarrier> arrived,
                               [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
                     to.first + 16 * number),
                 "r"(value[0]), "r"(value[1]), "r"(value[2]), "r"(value[3]), "r"(arrived.first)
                 : "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::store_async(to.first + number, &value, arrived.first, where);
#endif
}

/// Returns when the newest phase of that parity (0 or 1) is complete: the lane then sees what was released before the
/// arrivals, and the bytes of the copies. Waiters must wait for every phase before the next can complete.
/// Data of another block's lanes is seen if they arrived, and this lane waits, with the scope of a cluster.
template <mbarrier_scope Scope = mbarrier_scope::block>
TEGULA_INLINE void mbarrier_wait([[maybe_unused]] mbarrier* barrier, [[maybe_unused]] int parity,
                                 [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
#define TEGULA_MBARRIER_WAIT(order)                                                                                    \
    asm volatile("{\n\t"                                                                                               \
                 ".reg .pred done;\n\t"                                                                                \
                 "again:\n\t"                                                                                          \
                 "mbarrier.try_wait.parity" order ".shared::cta.b64 done, [%0], %1;\n\t"                               \
                 "@!done bra again;\n\t"                                                                               \
                 "}" ::"r"(shared_offset(barrier)),                                                                    \
                 "r"(parity)                                                                                           \
                 : "memory")
    if constexpr (Scope == mbarrier_scope::cluster) {
        // .acquire.cluster would drop all of L1 (CCTL.IVALL); restricted to shared memory it costs no instruction.
        TEGULA_MBARRIER_WAIT(".relaxed.cluster");
        asm volatile("fence.acquire.sync_restrict::shared::cluster.cluster;" ::: "memory");
    } else {
        TEGULA_MBARRIER_WAIT("");
    }
#undef TEGULA_MBARRIER_WAIT
#elif !TEGULA_DEVICE_PASS
    emulation::mbarrier_wait(barrier, parity, where,
                             Scope == mbarrier_scope::cluster ? thread_scope::cluster : thread_scope::block);
#endif
}
/// Whether the newest phase of that parity is complete. If so the lane sees what it would see after mbarrier_wait().
TEGULA_INLINE bool mbarrier_test([[maybe_unused]] mbarrier* barrier, [[maybe_unused]] int parity,
                                 [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    unsigned done;
    asm volatile("{\n\t"
                 ".reg .pred done;\n\t"
                 "mbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, done;\n\t"
                 "}"
                 : "=r"(done)
                 : "r"(shared_offset(barrier)), "r"(parity)
                 : "memory");
    return done != 0;
#elif !TEGULA_DEVICE_PASS
    return emulation::mbarrier_test(barrier, parity, where);
#else
    return true;
#endif
}

/// Orders this lane's stores to shared memory before bulk stores and wgmma that read it. A barrier follows, if another
/// lane starts those.
TEGULA_INLINE void fence_proxy_async([[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::fence_proxy_async(where);
#endif
}
/// Orders this lane's stores to global memory before tensor and bulk copies that are to read or overwrite them.
TEGULA_INLINE void fence_proxy_async_global([[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    asm volatile("fence.proxy.async.global;" ::: "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::fence_proxy_async_global(where);
#endif
}

} // namespace tegula::arch::nvidia
