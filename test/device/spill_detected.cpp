// The harness must see a kernel that keeps an array in memory: run-time indices into a local array cannot be registers;
// and one with more values than registers.
// targets: gfx942 sm_80
// full targets: gfx90a gfx1100 gfx1201 sm_90a
// must fail gfx90a gfx942 gfx1100 gfx1201: bytes of scratch
// must fail gfx90a gfx942 gfx1100 gfx1201: vector registers spilled
// must fail sm_80 sm_90a: bytes stack frame
// must fail sm_80 sm_90a: bytes spill stores
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

__global__ void __launch_bounds__(1024) reverse(volatile float* to, const volatile float* from)
{
    float values[300];
#pragma unroll
    for (int i = 0; i < 300; ++i)
        values[i] = from[i * 1024 + threadIdx.x];
#pragma unroll
    for (int i = 0; i < 300; ++i)
        to[i * 1024 + threadIdx.x] = values[299 - i];
}
