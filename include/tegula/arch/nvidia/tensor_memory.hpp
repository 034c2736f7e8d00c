#pragma once

#include <tegula/arch/nvidia/async_operands.hpp>
#include <tegula/arch/nvidia/cluster.hpp>
#include <tegula/chip/tensor_memory.hpp>
#include <tegula/core/math.hpp>

#if !TEGULA_DEVICE_PASS
#include <tegula/emulator/tensor_memory.hpp>
#endif

#if TEGULA_SPECIFIC_PASS >= 1000 && TEGULA_SPECIFIC_PASS < 1200
#define TEGULA_TENSOR_MEMORY_PASS 1
#include <tegula/arch/nvidia/device/tensor_transfer.hpp>
#else
#define TEGULA_TENSOR_MEMORY_PASS 0
#endif

/// Tensor memory of sm_100a and sm_103a (chip/tensor_memory.hpp), and the operations around the products in it
/// (mma/tcgen05.hpp).
///
/// `Blocks` is the .cta_group: 1, or 2 for pairs of blocks that share the products' instructions. A kernel uses one of
/// the two everywhere. With 2, both blocks of the pair (ranks 2i and 2i + 1 of the cluster) allocate and deallocate,
/// and one lane of the first block issues products, copies and commits for both.
///
/// Products and copies run asynchronously. They are over when the mbarrier of a later commit completes its phase. A
/// thread that waited for it calls tensor_fence_after() before it accesses tensor memory. A thread for whose loads or
/// stores others must wait calls tensor_wait_loads() or tensor_wait_stores(), then tensor_fence_before(), and then
/// arrives.

namespace tegula::arch::nvidia {

namespace detail {
template <bool Ok, int Columns>
struct tensor_columns_can_be_allocated
{
    static_assert(Ok, "tegula: tensor memory is allocated by 32, 64, 128, 256 or 512 columns; the arguments are "
                      "{ok, columns}");
};

#if TEGULA_TENSOR_MEMORY_PASS
// The instructions of both groups: `text` is in two parts around the number of blocks.
#define TEGULA_TENSOR_GROUP(before, after, ...)                                                                        \
    if constexpr (Blocks == 1)                                                                                         \
        asm volatile(before ".cta_group::1" after __VA_ARGS__);                                                        \
    else                                                                                                               \
        asm volatile(before ".cta_group::2" after __VA_ARGS__)
#endif
} // namespace detail

/// Allocates; one warp calls it, converged. Threads that a barrier orders after it find the address at `slot` in
/// shared memory.
template <int Columns, int Blocks>
TEGULA_INLINE void tensor_allocate([[maybe_unused]] std::uint32_t* slot,
                                   [[maybe_unused]] call_site where = call_site::here())
{
    static_assert(Blocks == 1 || Blocks == 2, "tegula: one block or a pair");
    static_cast<void>(
        detail::tensor_columns_can_be_allocated<(Columns >= 32 && Columns <= 512 && is_power_of_two(Columns)),
                                                Columns>{});
#if TEGULA_TENSOR_MEMORY_PASS
    TEGULA_TENSOR_GROUP("tcgen05.alloc", ".sync.aligned.shared::cta.b32 [%0], %1;", ::"r"(shared_offset(slot)),
                        "n"(Columns) : "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::tensor_allocate(slot, Columns, Blocks, where);
#endif
}
/// Called by the warp that allocated; no thread may use the columns any more.
template <int Columns, int Blocks>
TEGULA_INLINE void tensor_deallocate([[maybe_unused]] std::uint32_t address,
                                     [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_TENSOR_MEMORY_PASS
    TEGULA_TENSOR_GROUP("tcgen05.dealloc", ".sync.aligned.b32 %0, %1;", ::"r"(address), "n"(Columns));
#elif !TEGULA_DEVICE_PASS
    emulation::tensor_deallocate(address, Columns, Blocks, where);
#endif
}
/// The block allocates no more: the next block on the multiprocessor may.
template <int Blocks>
TEGULA_INLINE void tensor_relinquish([[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_TENSOR_MEMORY_PASS
    TEGULA_TENSOR_GROUP("tcgen05.relinquish_alloc_permit", ".sync.aligned;", );
#elif !TEGULA_DEVICE_PASS
    emulation::tensor_relinquish(Blocks, where);
#endif
}

/// Orders this thread's earlier tensor memory operations before what follows a later arrival.
TEGULA_INLINE void tensor_fence_before([[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_TENSOR_MEMORY_PASS
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::tensor_fence(true, where);
#endif
}
/// Orders everything that this thread has waited for before its later tensor memory operations.
TEGULA_INLINE void tensor_fence_after([[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_TENSOR_MEMORY_PASS
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::tensor_fence(false, where);
#endif
}

/// One arrival at the mbarrier when everything that this lane issued so far is over; that lane calls it. It does not
/// cover the lane's own stores.
template <int Blocks>
TEGULA_INLINE void tensor_commit([[maybe_unused]] mbarrier* barrier,
                                 [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_TENSOR_MEMORY_PASS
    TEGULA_TENSOR_GROUP("tcgen05.commit", ".mbarrier::arrive::one.shared::cluster.b64 [%0];",
                        ::"r"(shared_offset(barrier)) : "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::tensor_commit(barrier, 0, Blocks, where);
#endif
}
/// One arrival at this place in all blocks of the cluster whose bit is set in `blocks` by rank.
template <int Blocks>
TEGULA_INLINE void tensor_commit_multicast([[maybe_unused]] mbarrier* barrier, [[maybe_unused]] std::uint16_t blocks,
                                           [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_TENSOR_MEMORY_PASS
    TEGULA_TENSOR_GROUP("tcgen05.commit", ".mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;",
                        ::"r"(shared_offset(barrier)), "h"(blocks) : "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::tensor_commit(barrier, blocks, Blocks, where);
#endif
}

/// Loads words of tensor memory. All lanes of a warp call it with one address, which has the warp's lanes: registers
/// hold accessed_place() Count times a shape. Do not touch or move them before tensor_wait_loads().
template <tensor_access Shape, int Count, int Second = 0>
TEGULA_INLINE void tensor_load([[maybe_unused]] array<std::uint32_t, Count * registers_of(Shape)>& registers,
                               [[maybe_unused]] std::uint32_t address,
                               [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_TENSOR_MEMORY_PASS
    internal::tensor_transfer<false, Shape, Count, Second>(registers, address);
#elif !TEGULA_DEVICE_PASS
    emulation::tensor_access_wave(false, Shape, Count * registers_of(Shape), Second,
                                  emulation::tensor_transfer{registers.values, address}, where);
#endif
}
/// Stores registers to tensor memory in the same way; others see the words after tensor_wait_stores().
template <tensor_access Shape, int Count, int Second = 0>
TEGULA_INLINE void tensor_store([[maybe_unused]] std::uint32_t address,
                                [[maybe_unused]] const array<std::uint32_t, Count * registers_of(Shape)>& registers,
                                [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_TENSOR_MEMORY_PASS
    array<std::uint32_t, Count * registers_of(Shape)> copy = registers;
    internal::tensor_transfer<true, Shape, Count, Second>(copy, address);
#elif !TEGULA_DEVICE_PASS
    array<std::uint32_t, Count * registers_of(Shape)> copy = registers;
    emulation::tensor_access_wave(true, Shape, Count * registers_of(Shape), Second,
                                  emulation::tensor_transfer{copy.values, address}, where);
#endif
}

/// Returns when all loads of this warp are done: their registers may be read. Lanes that learn of it
/// may overwrite the words. `registers` are those of the loads.
template <class... Registers>
TEGULA_INLINE void tensor_wait_loads([[maybe_unused]] Registers&... registers)
{
#if TEGULA_TENSOR_MEMORY_PASS
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::tensor_wait(false);
#endif
    (pin_registers(registers), ...);
}
/// Returns when all stores of this warp are done.
TEGULA_INLINE void tensor_wait_stores([[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_TENSOR_MEMORY_PASS
    asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::tensor_wait(true, where);
#endif
}

/// Columns of tensor memory for as long as the object lives. All threads of the block construct it at the start of a
/// kernel and destroy it at the kernel's end, in the same place; both are barriers of the block. Those of a pair wait
/// for the whole cluster, too. That orders no memory except mbarriers that were initialised and fenced before the
/// construction, so that before the end each block must wait for what its peer does to its mbarriers.
template <class Target, int Columns, int Blocks = 1>
class tensor_memory_scope
{
public:
    static_assert(Target::chip().tensor_columns >= Columns, "tegula: the chip has fewer columns of tensor memory");

    /// `slot`: four bytes of shared memory.
    TEGULA_INLINE explicit tensor_memory_scope(std::uint32_t* slot)
    {
        if constexpr (Blocks == 2)
            meet_peer(); // until it runs
        if (Target::wave_id() == 0) {
            tensor_allocate<Columns, Blocks>(slot);
            tensor_relinquish<Blocks>();
        }
        tensor_fence_before();
        barrier_of_all_blocks();
        tensor_fence_after();
        address_ = Target::load_shared(slot);
    }
    TEGULA_INLINE ~tensor_memory_scope()
    {
        tensor_fence_before();
        barrier_of_all_blocks();
        tensor_fence_after();
        if (Target::wave_id() == 0)
            tensor_deallocate<Columns, Blocks>(address_);
        if constexpr (Blocks == 2)
            meet_peer(); // a block of a pair stays until its peer needs it no more
    }
    tensor_memory_scope(const tensor_memory_scope&) = delete;
    tensor_memory_scope& operator=(const tensor_memory_scope&) = delete;

    /// The address of column `column` and, by default, lane 0.
    TEGULA_INLINE std::uint32_t address(int column = 0, int lane = 0) const
    {
        return address_ + tensor_memory_address(lane, column);
    }

private:
    static TEGULA_INLINE void meet_peer()
    {
        cluster_arrive_relaxed();
        cluster_wait();
    }
    static TEGULA_INLINE void barrier_of_all_blocks()
    {
        Target::block_barrier();
        if constexpr (Blocks == 2)
            meet_peer();
    }

    std::uint32_t address_ = 0;
};

} // namespace tegula::arch::nvidia
