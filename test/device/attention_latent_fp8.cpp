// Attention of the latent form by wgmma from a cache of 8 bits, keys split: packed heads over pages with a band; f16 whose
// keys lie together; heads apart with a band. A warpgroup makes the keys: 16 vectors a lane of 16 numbers each, and 4 of
// the columns that carry the position.
//
// full targets: sm_90a
// expect sm_90a: registers <= 168, /setmaxnreg\.inc\.sync\.aligned\.u32 208/ >= 1, sass/^UTMALDG/ == 0
// expect sm_90a: /cvt\.rn\.f16x2\.e4m3x2/ == 128, sass/^F2FP\.F16\.E4M3\.UNPACK_B/ == 128, sass/^STS\.128/ >= 36
// expect sm_90a: sass_issue_percent <= 68, sass_shared_percent <= 110, /wgmma\.mma_async.*m64n256k16/ == 16, /wgmma\.mma_async.*m64n64k16/ == 144

#include "test/device/attention_words.hpp"

#include <tegula/kernel/attention/warp_specialized/latent.hpp>

namespace tegula {

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads)
    shares_by_roles(const __grid_constant__ typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}

template <class T, class O, class Variant>
const void* keep()
{
    using tile = warp_specialized_latent_tile<target, T, float8_e4m3>;
    return reinterpret_cast<const void*>(shares_by_roles<warp_specialized_latent_attention<tile, O, Variant>>);
}

void keep_all(const void** kept)
{
    using enum attention_mask;
    using enum attention_cache;
    using enum attention_heads;
    constexpr auto bias = attention_bias::none;
    constexpr auto weights = attention_weights::all;
    *kept++ = keep<bfloat16, bfloat16, attention_variant<band, bias, weights, paged, packed>>();
    *kept++ = keep<half, half, attention_variant<none, bias, weights, contiguous, packed>>();
    *kept++ = keep<bfloat16, float, attention_variant<band, bias, weights, contiguous, apart>>();
}

} // namespace tegula
