#pragma once

#include <tegula/emulator/async_runtime.hpp>
#include <tegula/emulator/interface.hpp>

/// The requests of a kernel to the emulated sm_90a and its successors beyond interface.hpp: clusters, mbarriers and
/// bulk copies, as functions of the lane that calls them. Misuse ends the launch with a report.

namespace tegula::emulator {

namespace detail {
inline async_runtime& async_of(lane_state& me, const char* what)
{
    if (!me.block->chip->has_clusters)
        fail(what, "launch the kernel for sm_90a or later");
    return me.run->async();
}
inline async_runtime& cluster_of(lane_state& me)
{
    if (!me.block->chip->runs_clusters())
        fail("the chip has no clusters", "launch the kernel for sm_90a or later, or for gfx1250");
    return me.run->async();
}
inline async_runtime& async_of(lane_state& me) { return async_of(me, "the chip has no mbarriers with transactions"); }
} // namespace detail

// Clusters

inline int cluster_rank() { return detail::current_lane->block->rank; }
inline int cluster_blocks() { return detail::current_lane->block->cluster_blocks(); }

/// The address of `shared` in the shared memory of block `rank` of the cluster.
inline std::byte* in_peer(const void* shared, int rank, call_site where = call_site::here())
{
    const detail::block_state& block = *detail::current_lane->block;
    if (rank < 0 || rank >= block.cluster_blocks())
        fail("an address in a block that the cluster does not have", "keep the rank below the blocks of the cluster",
             where);
    return block.peers[rank].shared + (static_cast<const std::byte*>(shared) - block.shared);
}

/// First half of the cluster's barrier: the wave's accesses so far precede those of any wave after cluster_wait().
/// `shared_only`: this orders accesses to shared memory alone, on both sides.
[[gnu::always_inline]] inline void cluster_arrive(call_site where = call_site::here(), bool shared_only = false)
{
    detail::lane_state& me = detail::lane_at(where);
    if (detail::gather(me, "cluster_arrive", operation_kind::block_barrier, where))
        detail::cluster_of(me).cluster_arrive(me, shared_only);
}
[[gnu::always_inline]] inline void cluster_wait(call_site where = call_site::here(), bool shared_only = false)
{
    detail::lane_state& me = detail::lane_at(where);
    if (detail::gather(me, "cluster_wait", operation_kind::block_barrier, where))
        detail::cluster_of(me).cluster_wait(me, shared_only);
}

/// cluster_arrive() that makes known only the mbarriers that this wave initialised and fenced.
[[gnu::always_inline]] inline void cluster_arrive_relaxed(call_site where = call_site::here())
{
    detail::lane_state& me = *detail::current_lane;
    if (detail::gather(me, "cluster_arrive", operation_kind::block_barrier, where))
        detail::async_of(me, "the chip has no clusters").cluster_arrive_relaxed(me);
}

/// An instruction of the whole wave that moves no data; checks only that every lane takes part.
[[gnu::always_inline]] inline void whole_wave(const char* name, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    if (detail::gather(me, name, operation_kind::matrix, where))
        detail::release_wave(me);
}

/// setmaxnreg: the registers of each lane from here on. An increase waits until others have given enough back.
[[gnu::always_inline]] inline void set_registers(int registers, bool increase, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    if (detail::gather(me, increase ? "setmaxnreg.inc" : "setmaxnreg.dec", operation_kind::matrix, where))
        detail::async_of(me, "the chip has no setmaxnreg").set_registers(me, registers, increase);
}

// mbarriers; `barrier` points to 8 bytes of shared memory

inline void mbarrier_init(void* barrier, int arrivals, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    detail::async_of(me).mbarrier_init(me, barrier, arrivals);
}
inline void mbarrier_invalidate(void* barrier, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    detail::async_of(me).mbarrier_invalidate(me, barrier);
}
/// Expects `expected_bytes` more in the open phase, then arrives. Releases the lane's accesses so far. The barrier may
/// be a peer's, by in_peer(): then only a scope wider than a block releases stores, and only those to shared memory.
inline void mbarrier_arrive(void* barrier, int arrivals = 1, int expected_bytes = 0,
                            call_site where = call_site::here(), thread_scope scope = thread_scope::block)
{
    detail::lane_state& me = detail::lane_at(where);
    detail::async_of(me).mbarrier_arrive(me, barrier, arrivals, expected_bytes, scope);
}
inline void mbarrier_expect(void* barrier, int bytes, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    detail::async_of(me).mbarrier_expect(me, barrier, bytes);
}
/// Returns when the newest phase of that parity is complete; the phase before the first counts as complete.
/// Stores by lanes of other blocks are known only if their scope and this one are wider than a block.
inline void mbarrier_wait(void* barrier, int parity, call_site where = call_site::here(),
                          thread_scope scope = thread_scope::block)
{
    detail::lane_state& me = detail::lane_at(where);
    detail::async_of(me).mbarrier_wait(me, barrier, parity, scope);
}
inline bool mbarrier_test(void* barrier, int parity, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    return detail::async_of(me).mbarrier_test(me, barrier, parity);
}
/// Starts to store 16 bytes, aligned to 16, to a place of any block of the cluster. They arrive at `barrier`, of the same
/// block, as those of a bulk load do.
inline void store_async(void* shared, const void* value, void* barrier, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    detail::async_of(me).store_async(me, shared, value, barrier);
}
inline void fence_mbarrier_init(call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    detail::async_of(me).fence_mbarrier_init(me);
}
/// The lane's stores to shared memory so far may be read by bulk stores and matrix instructions.
inline void fence_proxy_async(call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    detail::async_of(me).fence_proxy(me, false);
}

/// The lane's stores to global memory so far may be read and overwritten by tensor and bulk copies.
inline void fence_proxy_async_global(call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    detail::async_of(me).fence_proxy(me, true);
}

// Programmatic dependent launch

/// Orders all further accesses of the lane after the end of the previous launch.
inline void wait_for_previous_grid(call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    detail::async_of(me, "the chip has no programmatic dependent launch").wait_for_previous_grid(me);
}
/// The next launch may start. The emulator runs launches in turn and tells the next one what may overlap.
inline void launch_next_grid(call_site where = call_site::here())
{
    static_cast<void>(detail::async_of(detail::lane_at(where), "the chip has no programmatic dependent launch"));
}

// Cluster launch control

/// Asks for a cluster that has not started. The response, 16 bytes, arrives at `barrier`; with `multicast` in every
/// block of the cluster, at these places of its own shared memory.
inline void try_cancel(void* response, void* barrier, bool multicast, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    if (!me.block->chip->has_launch_control)
        fail("the chip has no cluster launch control", "launch the kernel for sm_100a or later", where);
    detail::async_of(me).cancel_launch(me, response, barrier, multicast);
}
/// Whether the response, which the lane has loaded, grants a cluster; `first_block` becomes that cluster's first block.
inline bool query_cancel(const void* response, extent3& first_block, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    return detail::async_of(me).read_response(me, response, first_block);
}

// Bulk copies

namespace detail {
inline bulk_place box_at(const tensor_map& map, const int* x, int rank)
{
    bulk_place place;
    place.map = &map;
    place.rank = rank;
    for (int i = 0; i < rank; ++i)
        place.x[i] = x[i];
    return place;
}
inline bulk_place bytes_at(const void* global, int bytes)
{
    bulk_place place;
    place.global = global;
    place.bytes = bytes;
    return place;
}
} // namespace detail

/// A map in the memory of the launch may be used by this block from now on.
inline void acquire_tensor_map(const tensor_map& map, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    detail::async_of(me).acquire_map(me, map);
}
/// The box that begins at element x[0..rank) of the tensor; its bytes arrive at `barrier`. `blocks`: mask of the ranks
/// that get it, each at the same places of its own shared memory; 0 for this block alone.
inline void tensor_load(void* shared, const tensor_map& map, const int* x, int rank, void* barrier,
                        std::uint32_t blocks = 0, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    detail::async_of(me).bulk_load(me, shared, detail::box_at(map, x, rank), barrier, blocks);
}
inline void tensor_store(const tensor_map& map, const int* x, int rank, const void* shared, bulk_action action,
                         call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    detail::async_of(me).bulk_store(me, detail::box_at(map, x, rank), shared, action);
}
/// Loads contiguous bytes; sizes and addresses are multiples of 16.
inline void bulk_load(void* shared, const void* global, int bytes, void* barrier, std::uint32_t blocks = 0,
                      call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    detail::async_of(me).bulk_load(me, shared, detail::bytes_at(global, bytes), barrier, blocks);
}
inline void bulk_store(void* global, const void* shared, int bytes, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    detail::async_of(me).bulk_store(me, detail::bytes_at(global, bytes), shared, bulk_action::store);
}
/// Adds contiguous floats.
inline void bulk_add(float* global, const float* shared, int bytes, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    detail::async_of(me).bulk_store(me, detail::bytes_at(global, bytes), shared, bulk_action::add);
}
/// Closes a group: the stores of this lane since the last commit.
inline void bulk_commit(call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    detail::async_of(me).bulk_commit(me);
}
/// Returns when at most `groups` of this lane's newest groups are in flight, or, with `read_only`, have not yet read
/// their shared memory.
inline void bulk_wait(int groups, bool read_only, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    detail::async_of(me).bulk_wait(me, groups, read_only);
}

} // namespace tegula::emulator
