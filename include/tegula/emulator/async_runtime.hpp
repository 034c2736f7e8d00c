#pragma once

#include <tegula/chip/tensor_map.hpp>
#include <tegula/chip/tensor_memory.hpp>
#include <tegula/chip/tensor_tile.hpp>
#include <tegula/core/thread_scope.hpp>
#include <tegula/emulator/state.hpp>

/// The requests of the primitives of clusters, mbarriers and bulk copies to the emulated GPU; async_engine.hpp has the
/// one implementation.

namespace tegula::emulator {

struct tensor_operation; // emulator/tensor_memory.hpp

/// The action of a bulk store on the elements in global memory.
enum class bulk_action { store, add };

namespace detail {

/// A box of a tensor, or `bytes` contiguous bytes if there is no map.
struct bulk_place
{
    const tensor_map* map = nullptr;
    int x[tensor_map_parameters::max_rank]{}; ///< first element of the box by dimension, dimension 0 first
    int rank = 0;
    const void* global = nullptr;
    int bytes = 0;
};

class async_runtime
{
public:
    virtual void mbarrier_init(lane_state& me, void* barrier, int arrivals) = 0;
    virtual void mbarrier_invalidate(lane_state& me, void* barrier) = 0;
    /// `barrier` may be another block's of the cluster.
    virtual void mbarrier_arrive(lane_state& me, void* barrier, int arrivals, int expected_bytes,
                                 thread_scope scope) = 0;
    virtual void mbarrier_expect(lane_state& me, void* barrier, int bytes) = 0;
    virtual void mbarrier_wait(lane_state& me, void* barrier, int parity, thread_scope scope) = 0;
    virtual bool mbarrier_test(lane_state& me, void* barrier, int parity) = 0;
    virtual void fence_mbarrier_init(lane_state& me) = 0;
    /// A proxy fence of shared memory, or of global memory.
    virtual void fence_proxy(lane_state& me, bool global) = 0;

    virtual void acquire_map(lane_state& me, const tensor_map& map) = 0;
    /// `blocks`: bit mask of the ranks that get the bytes, at the same place of their shared memory; 0: this block.
    virtual void bulk_load(lane_state& me, void* shared, const bulk_place& from, void* barrier,
                           std::uint32_t blocks) = 0;
    /// 16 bytes to a place of any block of the cluster, counted by an mbarrier of the same block.
    virtual void store_async(lane_state& me, void* shared, const void* value, void* barrier) = 0;
    virtual void bulk_store(lane_state& me, const bulk_place& to, const void* shared, bulk_action action) = 0;
    virtual void bulk_commit(lane_state& me) = 0;
    /// `read_only`: wait only until the shared memory has been read.
    virtual void bulk_wait(lane_state& me, int groups_in_flight, bool read_only) = 0;

    /// Cluster launch control. `response`: 16 bytes in shared memory, or for read_response() a copy of them.
    virtual void cancel_launch(lane_state& me, void* response, void* barrier, bool multicast) = 0;
    virtual bool read_response(lane_state& me, const void* response, extent3& first_block) = 0;

    virtual void wait_for_previous_grid(lane_state& me) = 0;

    /// `shared_only`: orders accesses to shared memory alone, as does the wait for it.
    virtual void cluster_arrive(lane_state& last, bool shared_only) = 0;
    virtual void cluster_arrive_relaxed(lane_state& last) = 0;
    virtual void cluster_wait(lane_state& last, bool shared_only) = 0;
    /// One block's request for a tile that several blocks of the cluster ask for together.
    virtual void share_tile(lane_state& me, const tensor_tile_words& request) = 0;
    virtual void set_registers(lane_state& last, int registers, bool increase) = 0;

    // Tensor memory, see emulator/tensor_memory.hpp; `blocks`: 1 or 2, the .cta_group
    /// Writes the address of the allocated columns to the lanes' arguments. The wave waits until so many columns are
    /// free.
    virtual void tensor_allocate(lane_state& last, int columns, int blocks) = 0;
    virtual void tensor_deallocate(lane_state& last, std::uint32_t address, int columns, int blocks) = 0;
    virtual void tensor_relinquish(lane_state& last, int blocks) = 0;
    virtual void tensor_fence(lane_state& me, bool before) = 0;
    virtual void tensor_issue(lane_state& me, tensor_operation& operation) = 0;
    virtual void tensor_commit(lane_state& me, void* barrier, std::uint32_t ranks, int blocks) = 0;
    /// The lanes' tensor_transfer are the wave's arguments.
    virtual void tensor_access(lane_state& last, bool stores, tegula::tensor_access shape, int registers,
                               int second) = 0;
    virtual void tensor_wait(lane_state& last, bool stores) = 0;

protected:
    ~async_runtime() = default;
};

} // namespace detail
} // namespace tegula::emulator
