// Tiles of queries of a backward pass by wgmma divide the workspace's rows.
//
// expect: tegula: the workspace has 128 queries or a multiple; take 32, 64 or 128 columns of scores

#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/kernel/attention/warp_specialized/gradient_tile.hpp>

#ifdef TEGULA_CONTROL
constexpr tegula::index_t columns = 64;
#else
constexpr tegula::index_t columns = 96;
#endif

template struct tegula::warp_specialized_gradient_tile<tegula::arch::sm_90a, tegula::half, 64, 64, 2, columns, 32>;
