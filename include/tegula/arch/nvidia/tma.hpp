#pragma once

#include <tegula/arch/nvidia/mbarrier.hpp>
#include <tegula/chip/tensor_map.hpp>

/// Bulk copies, from sm_90a on, between global and shared memory: boxes of tensors by a tensor map
/// (chip/tensor_map.hpp), and contiguous bytes. One lane issues them. A load reports its bytes to an mbarrier; stores
/// are waited for in groups by the lane that issued them. Coordinates are in elements, dimension 0 (the contiguous one)
/// first; they may lie outside the tensor on either side.

namespace tegula::arch::nvidia {

/// How the L2 cache treats the lines of a copy.
enum class l2_hint { normal, evict_first, evict_last };

#if TEGULA_CLUSTER_PASS
// Where a load to this block's own shared memory goes. On sm_120a ptxas would add a call for another block's.
#if TEGULA_SPECIFIC_PASS >= 1200
#define TEGULA_OWN_SHARED "shared::cta"
#else
#define TEGULA_OWN_SHARED "shared::cluster"
#endif

namespace detail {

template <l2_hint Hint>
__device__ __forceinline__ std::uint64_t cache_policy()
{
    std::uint64_t policy;
    if constexpr (Hint == l2_hint::evict_first)
        asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    else if constexpr (Hint == l2_hint::evict_last)
        asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    else
        asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

// clang-format off
// The text of an instruction and its operands, by dimensions: S the place in shared memory, M the map, X coordinates.
#define TEGULA_BOX_1 "{%2}"
#define TEGULA_BOX_2 "{%2, %3}"
#define TEGULA_BOX_3 "{%2, %3, %4}"
#define TEGULA_BOX_4 "{%2, %3, %4, %5}"
#define TEGULA_BOX_5 "{%2, %3, %4, %5, %6}"
#define TEGULA_AT_1 "r"(x[0])
#define TEGULA_AT_2 TEGULA_AT_1, "r"(x[1])
#define TEGULA_AT_3 TEGULA_AT_2, "r"(x[2])
#define TEGULA_AT_4 TEGULA_AT_3, "r"(x[3])
#define TEGULA_AT_5 TEGULA_AT_4, "r"(x[4])
#define TEGULA_TENSOR_LOAD(dims, bar, pol)                                                                             \
    asm volatile("cp.async.bulk.tensor." #dims "d." TEGULA_OWN_SHARED ".global.mbarrier::complete_tx::bytes"           \
                 ".L2::cache_hint [%0], [%1, " TEGULA_BOX_##dims "], [" bar "], " pol ";"                              \
                 ::"r"(to), "l"(map), TEGULA_AT_##dims, "r"(barrier), "l"(policy) : "memory")
#define TEGULA_TENSOR_MULTICAST(dims, bar, mask, pol)                                                                  \
    asm volatile("cp.async.bulk.tensor." #dims "d.shared::cluster.global.mbarrier::complete_tx::bytes"                 \
                 ".multicast::cluster.L2::cache_hint [%0], [%1, " TEGULA_BOX_##dims "], [" bar "], " mask ", " pol ";" \
                 ::"r"(to), "l"(map), TEGULA_AT_##dims, "r"(barrier), "h"(blocks), "l"(policy) : "memory")
#define TEGULA_TENSOR_STORE(dims, pol)                                                                                 \
    asm volatile("cp.async.bulk.tensor." #dims "d.global.shared::cta.bulk_group.L2::cache_hint "                       \
                 "[%1, " TEGULA_BOX_##dims "], [%0], " pol ";"                                                         \
                 ::"r"(from), "l"(map), TEGULA_AT_##dims, "l"(policy) : "memory")
#define TEGULA_TENSOR_ADD(dims, pol)                                                                                   \
    asm volatile("cp.reduce.async.bulk.tensor." #dims "d.global.shared::cta.add.tile.bulk_group.L2::cache_hint "       \
                 "[%1, " TEGULA_BOX_##dims "], [%0], " pol ";"                                                         \
                 ::"r"(from), "l"(map), TEGULA_AT_##dims, "l"(policy) : "memory")
// clang-format on

template <int Rank>
__device__ __forceinline__ void tensor_load(unsigned to, const tensor_map* map, const array<int, Rank>& x,
                                            unsigned barrier, std::uint64_t policy)
{
    if constexpr (Rank == 1)
        TEGULA_TENSOR_LOAD(1, "%3", "%4");
    else if constexpr (Rank == 2)
        TEGULA_TENSOR_LOAD(2, "%4", "%5");
    else if constexpr (Rank == 3)
        TEGULA_TENSOR_LOAD(3, "%5", "%6");
    else if constexpr (Rank == 4)
        TEGULA_TENSOR_LOAD(4, "%6", "%7");
    else
        TEGULA_TENSOR_LOAD(5, "%7", "%8");
}

template <int Rank>
__device__ __forceinline__ void tensor_load(unsigned to, const tensor_map* map, const array<int, Rank>& x,
                                            unsigned barrier, std::uint16_t blocks, std::uint64_t policy)
{
    if constexpr (Rank == 1)
        TEGULA_TENSOR_MULTICAST(1, "%3", "%4", "%5");
    else if constexpr (Rank == 2)
        TEGULA_TENSOR_MULTICAST(2, "%4", "%5", "%6");
    else if constexpr (Rank == 3)
        TEGULA_TENSOR_MULTICAST(3, "%5", "%6", "%7");
    else if constexpr (Rank == 4)
        TEGULA_TENSOR_MULTICAST(4, "%6", "%7", "%8");
    else
        TEGULA_TENSOR_MULTICAST(5, "%7", "%8", "%9");
}

template <int Rank>
__device__ __forceinline__ void tensor_store(const tensor_map* map, const array<int, Rank>& x, unsigned from,
                                             std::uint64_t policy)
{
    if constexpr (Rank == 1)
        TEGULA_TENSOR_STORE(1, "%3");
    else if constexpr (Rank == 2)
        TEGULA_TENSOR_STORE(2, "%4");
    else if constexpr (Rank == 3)
        TEGULA_TENSOR_STORE(3, "%5");
    else if constexpr (Rank == 4)
        TEGULA_TENSOR_STORE(4, "%6");
    else
        TEGULA_TENSOR_STORE(5, "%7");
}

template <int Rank>
__device__ __forceinline__ void tensor_add(const tensor_map* map, const array<int, Rank>& x, unsigned from,
                                           std::uint64_t policy)
{
    if constexpr (Rank == 1)
        TEGULA_TENSOR_ADD(1, "%3");
    else if constexpr (Rank == 2)
        TEGULA_TENSOR_ADD(2, "%4");
    else if constexpr (Rank == 3)
        TEGULA_TENSOR_ADD(3, "%5");
    else if constexpr (Rank == 4)
        TEGULA_TENSOR_ADD(4, "%6");
    else
        TEGULA_TENSOR_ADD(5, "%7");
}

#undef TEGULA_BOX_1
#undef TEGULA_BOX_2
#undef TEGULA_BOX_3
#undef TEGULA_BOX_4
#undef TEGULA_BOX_5
#undef TEGULA_AT_1
#undef TEGULA_AT_2
#undef TEGULA_AT_3
#undef TEGULA_AT_4
#undef TEGULA_AT_5
#undef TEGULA_TENSOR_LOAD
#undef TEGULA_TENSOR_MULTICAST
#undef TEGULA_TENSOR_STORE
#undef TEGULA_TENSOR_ADD

} // namespace detail
#endif

/// Prefetches the map itself.
TEGULA_INLINE void prefetch_tensor_map([[maybe_unused]] const tensor_map& map)
{
#if TEGULA_CLUSTER_PASS
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
#endif
}

/// Acquires a map in global memory, which the host has written, before this block's first copy by it (CUDA C++
/// Programming Guide, "Using TMA to transfer multi-dimensional arrays"). Maps in the kernel's arguments need no call.
TEGULA_INLINE void acquire_tensor_map([[maybe_unused]] const tensor_map& map,
                                      [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    asm volatile("fence.proxy.tensormap::generic.acquire.sys [%0], 128;" ::"l"(&map) : "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::acquire_tensor_map(map, where);
#endif
}

/// Starts to copy the box whose first element is `x` to shared memory; what lies outside the tensor becomes zeros. The
/// whole box's bytes are counted at `barrier`. `shared` is a multiple of box_alignment(). After the wait for the phase
/// ordinary loads, wgmma and bulk stores see the bytes; before the wait no thread may touch them.
template <l2_hint Hint = l2_hint::normal, int Rank>
TEGULA_INLINE void tensor_load([[maybe_unused]] void* shared, [[maybe_unused]] const tensor_map& map,
                               [[maybe_unused]] const array<int, Rank>& x, [[maybe_unused]] mbarrier* barrier,
                               [[maybe_unused]] call_site where = call_site::here())
{
    static_assert(Rank >= 1 && Rank <= 5, "tegula: a tensor map has 1 to 5 dimensions");
#if TEGULA_CLUSTER_PASS
    detail::tensor_load(shared_offset(shared), &map, x, shared_offset(barrier), detail::cache_policy<Hint>());
#elif !TEGULA_DEVICE_PASS
    emulation::tensor_load(shared, map, x.values, Rank, barrier, 0, where);
#endif
}
/// Starts to copy the box into several blocks of the cluster, those whose bit is set in `blocks` by rank: in each to
/// the same place of its shared memory, and counted at the mbarrier at the same place.
template <l2_hint Hint = l2_hint::normal, int Rank>
TEGULA_INLINE void tensor_load_multicast([[maybe_unused]] void* shared, [[maybe_unused]] const tensor_map& map,
                                         [[maybe_unused]] const array<int, Rank>& x, [[maybe_unused]] mbarrier* barrier,
                                         [[maybe_unused]] std::uint16_t blocks,
                                         [[maybe_unused]] call_site where = call_site::here())
{
    static_assert(Rank >= 1 && Rank <= 5, "tegula: a tensor map has 1 to 5 dimensions");
#if TEGULA_CLUSTER_PASS
    detail::tensor_load(shared_offset(shared), &map, x, shared_offset(barrier), blocks, detail::cache_policy<Hint>());
#elif !TEGULA_DEVICE_PASS
    emulation::tensor_load(shared, map, x.values, Rank, barrier, blocks, where);
#endif
}

/// Starts to copy from shared memory the part of the box that lies in the tensor, by whole chunks of 16 bytes. If a row
/// of the tensor ends within one, the bytes after it are overwritten, too (seen on an H200; triton-lang/triton#11583
/// reports it for H100 and B200). x[0] is a multiple of 16 bytes, not negative: another ends the kernel by an illegal
/// instruction (seen on an H200). Earlier stores to that memory need fence_proxy_async() and a barrier after them.
template <l2_hint Hint = l2_hint::normal, int Rank>
TEGULA_INLINE void tensor_store([[maybe_unused]] const tensor_map& map, [[maybe_unused]] const array<int, Rank>& x,
                                [[maybe_unused]] const void* shared,
                                [[maybe_unused]] call_site where = call_site::here())
{
    static_assert(Rank >= 1 && Rank <= 5, "tegula: a tensor map has 1 to 5 dimensions");
#if TEGULA_CLUSTER_PASS
    detail::tensor_store(&map, x, shared_offset(shared), detail::cache_policy<Hint>());
#elif !TEGULA_DEVICE_PASS
    emulation::tensor_store(map, x.values, Rank, shared, emulation::bulk_action::store, where);
#endif
}
/// tensor_store that adds to what is there, each element atomically; f32, f16, bf16, u32, i32 and u64. In emulation the
/// sums are there when the launch ends.
template <l2_hint Hint = l2_hint::normal, int Rank>
TEGULA_INLINE void tensor_add([[maybe_unused]] const tensor_map& map, [[maybe_unused]] const array<int, Rank>& x,
                              [[maybe_unused]] const void* shared, [[maybe_unused]] call_site where = call_site::here())
{
    static_assert(Rank >= 1 && Rank <= 5, "tegula: a tensor map has 1 to 5 dimensions");
#if TEGULA_CLUSTER_PASS
    detail::tensor_add(&map, x, shared_offset(shared), detail::cache_policy<Hint>());
#elif !TEGULA_DEVICE_PASS
    emulation::tensor_store(map, x.values, Rank, shared, emulation::bulk_action::add, where);
#endif
}

/// Starts to copy contiguous bytes to shared memory and counts them at `barrier`; `bytes` and both addresses are
/// multiples of 16.
TEGULA_INLINE void bulk_load([[maybe_unused]] void* shared, [[maybe_unused]] const void* global,
                             [[maybe_unused]] int bytes, [[maybe_unused]] mbarrier* barrier,
                             [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    asm volatile("cp.async.bulk." TEGULA_OWN_SHARED
                 ".global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_offset(shared)),
                 "l"(__cvta_generic_to_global(global)), "r"(bytes), "r"(shared_offset(barrier))
                 : "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::bulk_load(shared, global, bytes, barrier, 0, where);
#endif
}
/// Starts to copy contiguous bytes to global memory, in the lane's current group (bulk_commit); `bytes` and both
/// addresses are multiples of 16.
TEGULA_INLINE void bulk_store([[maybe_unused]] void* global, [[maybe_unused]] const void* shared,
                              [[maybe_unused]] int bytes, [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(global)),
                 "r"(shared_offset(shared)), "r"(bytes)
                 : "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::bulk_store(global, shared, bytes, where);
#endif
}

/// bulk_store that adds floats to those that are there, each atomically. In emulation the sums are there when the launch
/// ends.
TEGULA_INLINE void bulk_add([[maybe_unused]] float* global, [[maybe_unused]] const float* shared,
                            [[maybe_unused]] int bytes, [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(
                     __cvta_generic_to_global(global)),
                 "r"(shared_offset(shared)), "r"(bytes)
                 : "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::bulk_add(global, shared, bytes, where);
#endif
}

/// Adds four floats from registers to those at `global`, each atomically, by one instruction. Precondition: `global` is
/// aligned to 16 bytes. In emulation the sums are there when the launch ends.
TEGULA_INLINE void add_four([[maybe_unused]] float* global, [[maybe_unused]] const array<float, 4>& x,
                            [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(global)), "f"(x[0]),
                 "f"(x[1]), "f"(x[2]), "f"(x[3])
                 : "memory");
#elif !TEGULA_DEVICE_PASS
    for (int i = 0; i < 4; ++i)
        emulation::atomic_add(global + i, x[i], where);
#endif
}

/// Closes the group of stores and additions this lane started since the last commit.
TEGULA_INLINE void bulk_commit()
{
#if TEGULA_CLUSTER_PASS
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::bulk_commit();
#endif
}
/// Waits until at most `Groups` of this lane's newest groups are in flight: what the others stored is in global memory.
template <int Groups>
TEGULA_INLINE void bulk_wait([[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Groups) : "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::bulk_wait(Groups, false, where);
#endif
}
/// As bulk_wait, but only until the older groups have read their shared memory, which may then be overwritten. Every
/// lane that stored must wait so before it returns.
template <int Groups>
TEGULA_INLINE void bulk_wait_read([[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_CLUSTER_PASS
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Groups) : "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::bulk_wait(Groups, true, where);
#endif
}

} // namespace tegula::arch::nvidia

#if TEGULA_CLUSTER_PASS
#undef TEGULA_OWN_SHARED
#endif
