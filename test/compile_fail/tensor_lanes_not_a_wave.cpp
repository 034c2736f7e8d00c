// A distribution of 32 lanes on a target whose waves have 64.
//
// a beginner's mistake
// expect: tegula: the last P of the distribution must have as many positions as the target's wave has lanes
// expect: lanes_match_the_wave<false, 32, 64>

#include <tegula/tensor.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using target = arch::gfx1100;
#else
using target = arch::gfx942;
#endif

using rows =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<2, 32>>, tuple<sequence<1>, sequence<1>>,
                                                 tuple<sequence<0>, sequence<1>>, sequence<>, sequence<>>>;

auto where() { return partition_index<target, rows>(); }
