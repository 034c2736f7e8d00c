// The harness's own sample: 16 bytes a thread from global memory through shared memory and back, in plain CUDA and HIP.
// targets: gfx942 gfx1201 sm_80
// full targets: gfx90a gfx1100 sm_90a
// expect *: wide_global_load == 1, wide_shared_store == 1, wide_shared_load == 1, wide_global_store == 1
// expect *: matrix == 0, registers <= 32, shared_bytes == 4096

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

struct alignas(16) chunk
{
    unsigned words[4];
};

__global__ void copy_reversed(chunk* to, const chunk* from)
{
    __shared__ chunk staged[256];
    staged[threadIdx.x] = from[threadIdx.x];
#if defined(__HIP__) // the __syncthreads of old HIP headers calls what new device libraries do not have
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
#else
    __syncthreads();
#endif
    to[threadIdx.x] = staged[255 - threadIdx.x];
}
