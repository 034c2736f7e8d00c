#pragma once

#include <tegula/arch/nvidia/async_operands.hpp>

#if !TEGULA_DEVICE_PASS
#include <tegula/emulator/async_matrix.hpp>
#endif

#if TEGULA_SPECIFIC_PASS == 900
#define TEGULA_WGMMA_PASS 1
#else
#define TEGULA_WGMMA_PASS 0
#endif

/// The operations around wgmma, the matrix instructions of sm_90a's warpgroups (four warps, the first a multiple of 4).
/// The order is fence, products, commit, wait; each is called by the whole warpgroup. mma/wgmma.hpp has the products.

namespace tegula::arch::nvidia {

/// Registers written before it may be accumulators, or operand A, of products after it. To be called before the first
/// product and after every access to such registers; products of one shape on the same accumulators need none between
/// them.
TEGULA_INLINE void wgmma_fence([[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_WGMMA_PASS
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::fence_async_matrix(where);
#endif
}

/// Closes the group of products since the last commit.
TEGULA_INLINE void wgmma_commit([[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_WGMMA_PASS
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::commit_async_matrix(where);
#endif
}

/// Returns when at most `Groups` of the newest groups are in flight: the accumulators of the others may be read and
/// their operands overwritten. wgmma_wait(accumulators...) keeps the compiler from moving registers across it.
template <int Groups>
TEGULA_INLINE void wgmma_wait([[maybe_unused]] call_site where = call_site::here())
{
    static_assert(Groups >= 0 && Groups < 8, "tegula: at most 7 groups of wgmma are worth keeping in flight");
#if TEGULA_WGMMA_PASS
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Groups) : "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::wait_async_matrix(Groups, where);
#endif
}

/// wgmma_fence() and wgmma_wait() with the accumulators of the products around them.
template <class... Accumulators>
TEGULA_INLINE void wgmma_fence(Accumulators&... accumulators)
    requires(sizeof...(Accumulators) > 0)
{
    (pin_registers(accumulators), ...);
#if !TEGULA_DEVICE_PASS
    (emulation::note_fenced(&accumulators, sizeof(accumulators)), ...);
#endif
    wgmma_fence();
}
template <int Groups, class... Accumulators>
TEGULA_INLINE void wgmma_wait(Accumulators&... accumulators)
    requires(sizeof...(Accumulators) > 0)
{
    (pin_registers(accumulators), ...);
    wgmma_wait<Groups>();
    (pin_registers(accumulators), ...);
}

} // namespace tegula::arch::nvidia
