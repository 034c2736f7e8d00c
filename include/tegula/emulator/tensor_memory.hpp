#pragma once

#include <tegula/chip/tensor_memory.hpp>
#include <tegula/emulator/async.hpp>

/// Tensor memory of the emulated sm_100a and sm_103a as functions of the lane that calls them. An instruction writes
/// its words at issue. A lane that touches them before it knows that the instruction is over is reported. Values loaded
/// by tcgen05.ld are withheld until its wait.

namespace tegula::emulator {

/// A product or a copy of the tensor core as its issuing lane describes it.
struct tensor_operation
{
    /// Words of tensor memory: [lanes, columns] from `first` on in each block of the group.
    struct region
    {
        tensor_memory_place first;
        int lanes = 0;
        int columns = 0;
        bool every_second_half = false; ///< lanes 16 to 31 of every 32 stay out (64 rows of one block)
    };
    /// 16-byte chunks of the shared memory of block `rank` that are read, as byte offsets.
    struct chunks
    {
        const std::uint32_t* first = nullptr;
        int count = 0;
    };

    const char* name = "";
    bool product = true;   ///< else a copy
    bool integers = false; ///< the product's sums
    int blocks = 1;        ///< 1 or 2, the .cta_group
    region written;
    bool reads_written = false;   ///< the product adds to it
    region read[3];               ///< operands in tensor memory
    int reads = 0;                ///< number of these
    std::uint32_t shape = 0;      ///< products of one shape on the same words follow each other in order
    chunks operands[2];           ///< by block of the group
    std::uint32_t* words[2]{};    ///< filled in: each block's tensor memory, lane after lane
    const std::byte* shared[2]{}; ///< filled in: each block's shared memory

    static constexpr int pitch = 512; ///< words per lane
};

/// A tcgen05.ld or tcgen05.st of a lane.
struct tensor_transfer
{
    std::uint32_t* registers = nullptr;
    std::uint32_t address = 0;
};

namespace detail {
inline async_runtime& tensor_runtime(lane_state& me)
{
    if (me.block->chip->tensor_columns == 0)
        fail("the chip has no tensor memory", "launch the kernel for sm_100a or sm_103a");
    return me.run->async();
}

/// Runs body(runtime, lane) once for the wave when all its lanes are there; body leaves the operation.
template <class Body>
[[gnu::always_inline]] inline void with_tensor_wave(const char* name, const call_site& where, Body&& body)
{
    lane_state& me = lane_at(where);
    if (gather(me, name, operation_kind::matrix, where))
        body(tensor_runtime(me), me);
}
} // namespace detail

/// Allocates `columns` columns; their address goes to `slot` in shared memory. Waits while there are too few.
inline void tensor_allocate(std::uint32_t* slot, int columns, int blocks, call_site where = call_site::here())
{
    std::uint32_t address = 0;
    detail::lane_state& me = *detail::current_lane;
    me.wave->arguments[me.lane] = &address;
    detail::with_tensor_wave("tcgen05.alloc", where, [&](detail::async_runtime& run, detail::lane_state& last) {
        run.tensor_allocate(last, columns, blocks);
    });
    if (me.lane == 0)
        store_shared<4>(slot, &address, true, where);
}
inline void tensor_deallocate(std::uint32_t address, int columns, int blocks, call_site where = call_site::here())
{
    detail::with_tensor_wave("tcgen05.dealloc", where, [&](detail::async_runtime& run, detail::lane_state& last) {
        run.tensor_deallocate(last, address, columns, blocks);
        detail::release_wave(last);
    });
}
/// After this no lane of the block may allocate.
inline void tensor_relinquish(int blocks, call_site where = call_site::here())
{
    detail::with_tensor_wave("tcgen05.relinquish_alloc_permit", where,
                             [&](detail::async_runtime& run, detail::lane_state& last) {
                                 run.tensor_relinquish(last, blocks);
                                 detail::release_wave(last);
                             });
}

/// tcgen05.fence::before_thread_sync, or after.
inline void tensor_fence(bool before, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    detail::tensor_runtime(me).tensor_fence(me, before);
}

/// Called by one lane: a product or a copy; compute(operation) then does it.
template <class Compute>
inline void issue_tensor_operation(tensor_operation& operation, const Compute& compute,
                                   call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    detail::tensor_runtime(me).tensor_issue(me, operation);
    compute(static_cast<const tensor_operation&>(operation));
    if (operation.product)
        ++me.wave->matrix_operations;
}

/// tcgen05.commit: one arrival at `barrier`, or at the same place in all blocks whose bit is set in `ranks`, when
/// everything that this lane issued is over.
inline void tensor_commit(void* barrier, std::uint32_t ranks, int blocks, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    detail::tensor_runtime(me).tensor_commit(me, barrier, ranks, blocks);
}

/// tcgen05.ld or tcgen05.st of `registers` registers of every lane of the wave. `second`: see accessed_place().
inline void tensor_access_wave(bool stores, tensor_access shape, int registers, int second, tensor_transfer mine,
                               call_site where = call_site::here())
{
    detail::lane_state& me = *detail::current_lane;
    me.wave->arguments[me.lane] = &mine;
    detail::with_tensor_wave(stores ? "tcgen05.st" : "tcgen05.ld", where,
                             [&](detail::async_runtime& run, detail::lane_state& last) {
                                 run.tensor_access(last, stores, shape, registers, second);
                                 detail::release_wave(last);
                             });
}
/// `tcgen05.wait`, of loads or of stores: for all of this wave so far.
inline void tensor_wait(bool stores, call_site where = call_site::here())
{
    detail::with_tensor_wave(stores ? "tcgen05.wait::st" : "tcgen05.wait::ld", where,
                             [&](detail::async_runtime& run, detail::lane_state& last) {
                                 run.tensor_wait(last, stores);
                                 detail::release_wave(last);
                             });
}

} // namespace tegula::emulator
