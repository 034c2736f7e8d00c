// One warp-specialised forward attention for sm_90a: heads of 128 columns, a causal mask.

#include <tegula/attention.hpp>

using namespace tegula;

using target = arch::sm_90a;
using tile = warp_specialized_attention_tile_for<target, bfloat16, 128>;
using kernel = warp_specialized_attention<tile, bfloat16, attention_variant<attention_mask::band>>;

__global__ void TEGULA_LAUNCH_BOUNDS(kernel::block_threads) attention(const __grid_constant__ kernel::arguments args)
{
    run_kernel<target>(kernel{}, args);
}
