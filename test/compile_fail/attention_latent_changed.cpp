// A bias changes scores of the latent form by wgmma.
//
// expect: tegula: the latent form by wgmma hides keys by a band at most

#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/kernel/attention/warp_specialized/latent.hpp>

using namespace tegula;
using tile = warp_specialized_latent_tile<arch::sm_90a, bfloat16>;

#ifdef TEGULA_CONTROL
using variant = attention_variant<attention_mask::band>;
#else
using variant = attention_variant<attention_mask::band, attention_bias::tensor>;
#endif

template struct tegula::warp_specialized_latent_attention<tile, bfloat16, variant>;
