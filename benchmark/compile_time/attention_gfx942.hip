// One forward attention for gfx942: heads of 128 columns, a causal mask.

#include <hip/hip_runtime.h>

#include <tegula/attention.hpp>

using namespace tegula;

using target = arch::gfx942;
using tile = attention_tile_for<target, bfloat16, 128>;
using kernel = attention_kernel<tile, float, attention_variant<attention_mask::band>>;

__global__ void TEGULA_LAUNCH_BOUNDS(kernel::block_threads) attention(kernel::arguments args)
{
    run_kernel<target>(kernel{}, args);
}
