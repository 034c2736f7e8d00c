// The latent form by wgmma makes keys of e4m3 alone.
//
// expect: tegula: the cache of the latent form by wgmma has elements of T, or float8_e4m3 with scales

#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/kernel/attention/warp_specialized/latent.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using cache = float8_e4m3;
#else
using cache = float8_e5m2;
#endif

template struct tegula::warp_specialized_latent_tile<arch::sm_90a, bfloat16, cache>;
