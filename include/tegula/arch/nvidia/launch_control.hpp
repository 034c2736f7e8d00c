#pragma once

#include <tegula/arch/nvidia/tensor_memory.hpp>

/// Cluster launch control, from sm_100a on: a running cluster takes over one of the same grid that has not started, and
/// does its work instead of it (PTX ISA, "clusterlaunchcontrol.try_cancel", "clusterlaunchcontrol.query_cancel"). A grid
/// then has a cluster for each tile; those that find room start, and each goes on with the tiles of the clusters that it
/// takes over, until a request is refused. So the next tile goes to a cluster that is free. A launch of higher priority gets
/// multiprocessors: requests are then refused, and the clusters that are left start when there is room again.

namespace tegula::arch::nvidia {

/// In shared memory: the response to a request. Only the functions here access it.
struct alignas(16) cancel_response
{
    std::uint64_t opaque[2];
};

/// A cluster whose launch was canceled.
struct canceled_cluster
{
    bool granted;    ///< false: the request was refused; this block makes no other
    int first_block; ///< x of the cluster's first block; 0 if refused
};

/// One lane requests a cluster that has not started: for its block, or, with Blocks > 1, one lane of one block for all
/// blocks of its cluster. The response's 16 bytes arrive at `barrier`; with Blocks > 1 they arrive in every block, at
/// these places of its own shared memory, and each expects them there. A block that has learnt of a refusal must not
/// ask again, and no block of the cluster may return before the response has arrived.
template <int Blocks = 1>
TEGULA_INLINE void try_cancel([[maybe_unused]] cancel_response* response, [[maybe_unused]] mbarrier* barrier,
                              [[maybe_unused]] call_site where = call_site::here())
{
#if TEGULA_TENSOR_MEMORY_PASS
    if constexpr (Blocks == 1)
        asm volatile(
            "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(
                shared_offset(response)),
            "r"(shared_offset(barrier))
            : "memory");
    else
        asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
                     ".multicast::cluster::all.b128 [%0], [%1];" ::"r"(shared_offset(response)),
                     "r"(shared_offset(barrier))
                     : "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::try_cancel(response, barrier, Blocks > 1, where);
#endif
}

/// Reads the response, after a wait for its mbarrier's phase. After the call, and a barrier or an arrival of this lane,
/// another request may use the place.
TEGULA_INLINE canceled_cluster read_response([[maybe_unused]] cancel_response* response,
                                             [[maybe_unused]] call_site where = call_site::here())
{
    canceled_cluster result{};
#if TEGULA_TENSOR_MEMORY_PASS
    unsigned granted;
    asm volatile("{\n\t"
                 ".reg .b128 response;\n\t"
                 ".reg .pred granted;\n\t"
                 "ld.shared.b128 response, [%2];\n\t"
                 "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 granted, response;\n\t"
                 "selp.u32 %0, 1, 0, granted;\n\t"
                 "mov.u32 %1, 0;\n\t"
                 "@granted clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %1, response;\n\t"
                 "}"
                 : "=r"(granted), "=r"(result.first_block)
                 : "r"(shared_offset(response))
                 : "memory");
    result.granted = granted != 0;
#elif !TEGULA_DEVICE_PASS
    cancel_response words;
    emulation::load_shared<16>(&words, response, true, where);
    emulator::extent3 first{};
    result.granted = emulation::query_cancel(&words, first, where);
    result.first_block = result.granted ? first.x : 0;
#endif
    fence_proxy_async(where); // the next response is written by the asynchronous proxy
    return result;
}

} // namespace tegula::arch::nvidia
