// The harness must see what only the machine code shows: a fence of the whole GPU, and a descriptor that each lane
// computes by itself. A product of 64x64x16 takes 32 clocks, and shared memory as many for its operands: a load beside it
// has four more, one for each warp.
// targets: sm_90a
// must fail sm_90a: a fence wider than the block
// must fail sm_90a: an ERRBAR
// must fail sm_90a: R2UR of a descriptor in a loop with matrix instructions
// expect sm_90a: sass_shared_percent == 100
// must fail sm_90a: expected sass_shared_percent == 100, found 112

#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/core/bfloat16.hpp>
#include <tegula/mma/wgmma.hpp>

using atom = tegula::wgmma_atom<tegula::arch::sm_90a, tegula::bfloat16, tegula::bfloat16, float, 64>;

__global__ void __launch_bounds__(128) planted(float* to, const std::uint64_t* descriptors, int steps)
{
    atom::accumulators sum{};
#pragma unroll 1
    for (int i = 0; i < steps; ++i) {
        tegula::arch::nvidia::wgmma_fence(sum);
        atom::multiply(sum, descriptors[i + threadIdx.x], descriptors[i], i > 0);
        tegula::arch::nvidia::wgmma_commit();
        tegula::arch::nvidia::wgmma_wait<0>(sum);
    }
    __threadfence();
    for (int r = 0; r < atom::c_count; ++r)
        to[r * 128 + threadIdx.x] = sum[r];
}

__global__ void __launch_bounds__(128) planted_load(float* to, std::uint64_t a, std::uint64_t b, int steps)
{
    volatile __shared__ float factors[128];
    factors[threadIdx.x] = to[threadIdx.x];
    atom::accumulators sum{};
    float factor = 1;
#pragma unroll 1
    for (int i = 0; i < steps; ++i) {
        tegula::arch::nvidia::wgmma_fence(sum);
        atom::multiply(sum, a, b, i > 0);
        tegula::arch::nvidia::wgmma_commit();
        factor *= factors[threadIdx.x];
        tegula::arch::nvidia::wgmma_wait<0>(sum);
    }
    for (int r = 0; r < atom::c_count; ++r)
        to[r * 128 + threadIdx.x] = factor * sum[r];
}
