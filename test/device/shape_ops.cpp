// Kernels over tensors of any shape: elementwise functions, permutations, gathers, rotary embeddings, pooling. Nothing may
// go to scratch memory; accesses are of 16 bytes where shapes allow them.
//
// targets: gfx942 sm_80
// full targets: gfx90a gfx1100 gfx1201 sm_90a
// expect * [add_rows]: wide_global_load >= 4, wide_global_store >= 4, registers <= 128
// expect * [add_elements]: wide_global_load == 0
// expect * [turn_halves]: wide_global_load >= 2
// expect * [turn_halves]: wide_global_store >= 2
// expect * [gather_rows]: wide_global_load >= 2, wide_global_store >= 2
// expect * [rotate]: wide_global_load >= 12, wide_global_store >= 4, registers <= 128
// expect * [pool]: wide_global_load >= 2, wide_global_store >= 2

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/core/bfloat16.hpp>
#include <tegula/core/half.hpp>
#include <tegula/kernel/elementwise/rotary.hpp>
#include <tegula/kernel/movement/gather_kernel.hpp>
#include <tegula/kernel/movement/permute_kernel.hpp>
#include <tegula/kernel/pooling/pooling_kernel.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;

struct add
{
    TEGULA_INLINE float operator()(float x, float y) const { return x + y; }
};

template <index_t Vector>
using add_kernel = elementwise_kernel<target, add, tuple<half>, tuple<half, half>, Vector>;
using rotate_kernel =
    elementwise_kernel<target, rotate_pair, tuple<float, float>, tuple<float, float, long_index_t, std::uint64_t>, 4>;
using turn_kernel = permute_kernel<target, std::uint16_t, true>;
using turn_elements_kernel = permute_kernel<target, std::uint32_t, false>;
using gather_kernel_of_rows = gather_kernel<target, half, std::int64_t, reduce_layout::wave, 8>;
using pool_kernel = pooling_kernel<target, bfloat16, 8>;

__global__ void TEGULA_LAUNCH_BOUNDS(256) add_rows(add_kernel<8>::arguments args)
{
    run_kernel<target>(add_kernel<8>{}, args);
}
__global__ void TEGULA_LAUNCH_BOUNDS(256) add_elements(add_kernel<1>::arguments args)
{
    run_kernel<target>(add_kernel<1>{}, args);
}
__global__ void TEGULA_LAUNCH_BOUNDS(256) rotate(rotate_kernel::arguments args)
{
    run_kernel<target>(rotate_kernel{}, args);
}
__global__ void TEGULA_LAUNCH_BOUNDS(256) turn_halves(turn_kernel::arguments args)
{
    run_kernel<target>(turn_kernel{}, args);
}
__global__ void TEGULA_LAUNCH_BOUNDS(256) turn_elements(turn_elements_kernel::arguments args)
{
    run_kernel<target>(turn_elements_kernel{}, args);
}
__global__ void TEGULA_LAUNCH_BOUNDS(256) gather_rows(gather_kernel_of_rows::arguments args)
{
    run_kernel<target>(gather_kernel_of_rows{}, args);
}
__global__ void TEGULA_LAUNCH_BOUNDS(256) pool(pool_kernel::arguments args) { run_kernel<target>(pool_kernel{}, args); }

} // namespace tegula
