// A reduction that is not told for which GPU it is.
//
// a beginner's mistake
// expect: tegula: the target is missing; it is the first template argument

#include <tegula/tensor.hpp>

using namespace tegula;
using target = arch::sm_80;
using rows =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<32>, sequence<4>>, tuple<sequence<1>>,
                                                 tuple<sequence<0>>, sequence<2>, sequence<0>>>;

auto sum(const distributed_tensor<float, rows>& tile)
{
#ifdef TEGULA_CONTROL
    return reduce<target, 1>(tile, plus{});
#else
    return reduce<1>(tile, plus{});
#endif
}
