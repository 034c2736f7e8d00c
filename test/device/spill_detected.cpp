// The harness must see a kernel that keeps an array in memory: run-time indices into a local array cannot be registers.
// targets: gfx90a gfx942 gfx1100 gfx1201 sm_80 sm_90a
// must fail gfx90a gfx942 gfx1100 gfx1201: bytes of scratch
// must fail sm_80 sm_90a: bytes stack frame
// must fail *: expected matrix >= 1, found 0
// expect *: matrix

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

__global__ void permute(float* to, const float* from, const int* order)
{
    float values[1024];
    for (int i = 0; i < 1024; ++i)
        values[order[i + threadIdx.x]] = from[i];
    for (int i = 0; i < 1024; ++i)
        to[i] = values[order[i * threadIdx.x]];
}
