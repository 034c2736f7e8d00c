#pragma once

#include <tegula/arch/amd/primitives.hpp>

#if !TEGULA_DEVICE_PASS
#include <tegula/emulator/async.hpp>
#endif

namespace tegula::arch::amd {

/// gfx1250's clusters: blocks that run at the same time, have a barrier of their own, and share tiles that the tensor
/// data mover reads once for several of them (tensor_tile::blocks). A kernel says how many: `static constexpr int
/// cluster_blocks`; on a GPU launch() asks HIP for clusters of so many.
struct workgroup_clusters
{
    static constexpr bool has_workgroup_clusters = true;

    /// The rank of this block in its cluster, x fastest.
    static TEGULA_INLINE int cluster_rank()
    {
#if defined(__gfx1250__) && TEGULA_AMD_PASS
        return static_cast<int>(__builtin_amdgcn_cluster_workgroup_flat_id());
#elif !TEGULA_DEVICE_PASS
        return emulation::cluster_rank();
#else
        return 0;
#endif
    }
    /// The number of blocks in the cluster.
    static TEGULA_INLINE int cluster_blocks()
    {
#if defined(__gfx1250__) && TEGULA_AMD_PASS
        return static_cast<int>(__builtin_amdgcn_cluster_workgroup_max_flat_id()) + 1;
#elif !TEGULA_DEVICE_PASS
        return emulation::cluster_blocks();
#else
        return 1;
#endif
    }
    /// All threads of all blocks of the cluster meet. Accesses of each to its shared memory are done;
    /// global ones may still be in flight. (One wave of a block
    /// signals for it when all of its waves are there.)
    static TEGULA_INLINE void cluster_barrier([[maybe_unused]] call_site where = call_site::here())
    {
#if defined(__gfx1250__) && TEGULA_AMD_PASS
        asm volatile("s_wait_dscnt 0x0" ::: "memory");
        __builtin_amdgcn_s_cluster_barrier();
        asm volatile("" ::: "memory");
#elif !TEGULA_DEVICE_PASS
        emulation::cluster_arrive(where, true);
        emulation::cluster_wait(where, true);
#endif
    }
};

} // namespace tegula::arch::amd
