// Two distributions of tiles of different lengths.
//
// a beginner's mistake
// expect: tegula: convert needs two distributions of one tile: their tensor lengths differ

#include <tegula/tensor.hpp>

using namespace tegula;
using target = arch::sm_80;

template <index_t N>
using line = tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<32, N>>, tuple<sequence<1>>,
                                                          tuple<sequence<0>>, sequence<1>, sequence<1>>>;
template <index_t N>
using cyclic = tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<N, 32>>, tuple<sequence<1>>,
                                                            tuple<sequence<1>>, sequence<1>, sequence<0>>>;
#ifdef TEGULA_CONTROL
using destination = cyclic<4>;
#else
using destination = cyclic<2>;
#endif

auto change(const distributed_tensor<float, line<4>>& tile) { return convert<target, destination>(tile); }
