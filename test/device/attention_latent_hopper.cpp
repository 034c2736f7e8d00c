// Attention of the latent form by wgmma, keys split: packed heads over a paged cache with a band; f16 whose keys lie
// together; heads apart with a band.
//
// full targets: sm_90a
// expect sm_90a: registers <= 168, /setmaxnreg\.inc\.sync\.aligned\.u32 232/ >= 1, sass/^UTMALDG\.4D/ >= 9
// expect sm_90a: sass_issue_percent <= 24, sass_shared_percent <= 110, sass/^MUFU\.EX2/ >= 64, sass/^STSM\.16\.M88\.4/ >= 8
// expect sm_90a: /wgmma\.mma_async.*m64n256k16/ == 16, /wgmma\.mma_async.*m64n64k16/ == 144

#include "test/device/attention_words.hpp"

#include <tegula/kernel/attention/warp_specialized/latent.hpp>

namespace tegula {

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads)
    shares_by_roles(const __grid_constant__ typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}

void keep_all(const void** kept)
{
    using paged = attention_variant<attention_mask::band, attention_bias::none, attention_weights::all,
                                    attention_cache::paged, attention_heads::packed>;
    using of_pages = warp_specialized_latent_attention<warp_specialized_latent_tile<target, bfloat16>, bfloat16, paged>;
    *kept++ = reinterpret_cast<const void*>(shares_by_roles<of_pages>);
    using in_rows = warp_specialized_latent_attention<warp_specialized_latent_tile<target, half>>;
    *kept++ = reinterpret_cast<const void*>(shares_by_roles<in_rows>);
    using banded = attention_variant<attention_mask::band, attention_bias::none, attention_weights::all,
                                     attention_cache::contiguous, attention_heads::apart>;
    using apart = warp_specialized_latent_attention<warp_specialized_latent_tile<target, bfloat16>, float, banded>;
    *kept++ = reinterpret_cast<const void*>(shares_by_roles<apart>);
}

} // namespace tegula
