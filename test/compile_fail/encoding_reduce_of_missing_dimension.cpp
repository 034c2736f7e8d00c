// There are two tensor dimensions, 0 and 1.
//
// expect: tegula: reduce names a tensor dimension that the encoding does not have

#include <tegula/layout/encoding.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using whole = tile_distribution_encoding<sequence<>, tuple<sequence<3, 4>, sequence<2>>, tuple<sequence<1>>,
                                         tuple<sequence<1>>, sequence<1, 2>, sequence<0, 0>>;
using sums = reduce_encoding<whole, 1>;
#else
using whole = tile_distribution_encoding<sequence<>, tuple<sequence<3, 4>, sequence<2>>, tuple<sequence<1>>,
                                         tuple<sequence<1>>, sequence<1, 2>, sequence<0, 0>>;
using sums = reduce_encoding<whole, 2>;
#endif

static_assert(encoding<sums>);
