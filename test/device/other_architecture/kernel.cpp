// One small kernel for TEGULA_TEST_TARGET; check.py compiles it for that target's architecture and for another one.

#if defined(__HIP__)
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#endif

#include <tegula/arch/target.hpp>

using target = tegula::arch::TEGULA_TEST_TARGET;

struct set_one
{
    TEGULA_INLINE void operator()(int* p) const { target::store_global(p + target::thread_id(), 1); }
};

__global__ void kernel(int* p) { tegula::run_kernel<target>(set_one{}, p); }
