#pragma once

#include <tegula/arch/nvidia/tensor_memory.hpp>
#include <tegula/arch/nvidia/tma.hpp>

/// Tensor copies of a pair of blocks that multiply together (.cta_group::2): each copies to its own shared memory, and the
/// bytes of both are counted at an mbarrier of the first.

namespace tegula::arch::nvidia {

/// tensor_load() whose bytes are counted at `barrier`, which is this block's or its peer's.
template <l2_hint Hint = l2_hint::normal, int Rank>
TEGULA_INLINE void tensor_load_paired([[maybe_unused]] void* shared, [[maybe_unused]] const tensor_map& map,
                                      [[maybe_unused]] const array<int, Rank>& x,
                                      [[maybe_unused]] peer_address<mbarrier> barrier,
                                      [[maybe_unused]] call_site where = call_site::here())
{
    static_assert(Rank == 3 || Rank == 4, "tegula: operands have 3 dimensions and scales 4");
#if TEGULA_TENSOR_MEMORY_PASS
    if constexpr (Rank == 4)
        asm volatile("cp.async.bulk.tensor.4d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes"
                     ".L2::cache_hint [%0], [%1, {%2, %3, %4, %5}], [%6], %7;" ::"r"(shared_offset(shared)),
                     "l"(&map), "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(barrier.first),
                     "l"(detail::cache_policy<Hint>())
                     : "memory");
    else
        asm volatile("cp.async.bulk.tensor.3d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes"
                     ".L2::cache_hint [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(shared_offset(shared)),
                     "l"(&map), "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(barrier.first), "l"(detail::cache_policy<Hint>())
                     : "memory");
#elif !TEGULA_DEVICE_PASS
    emulation::tensor_load(shared, map, x.values, Rank, barrier.first, 0, where);
#endif
}

} // namespace tegula::arch::nvidia
