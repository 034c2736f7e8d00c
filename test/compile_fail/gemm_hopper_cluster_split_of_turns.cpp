// Consumers that take turns have a tile each, and a cluster that shares k has one.
//
// expect: tegula: the k of a tile is shared in a cluster by blocks that have no other cluster, whose consumers are cooperative
// expect: a_share_multiplies_at_once<false

#include <tegula/kernel/gemm/warp_specialized/kernel.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

using namespace tegula;
using tiles = warp_specialized_tiles<arch::sm_90a, bfloat16>;

#ifdef TEGULA_CONTROL
using tile = tiles::ws128x256;
#else
using tile = tiles::ws128x128;
#endif

static_assert(cluster_split_tile<tile, 2>::k_shares == 2);
