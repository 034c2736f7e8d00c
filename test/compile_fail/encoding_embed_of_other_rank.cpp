// A one-dimensional tile inside the elements of a two-dimensional one.
//
// expect: tegula: embed needs two encodings with the same number of tensor dimensions

#include <tegula/layout/encoding.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using whole = tile_distribution_encoding<sequence<>, tuple<sequence<3, 4>, sequence<2>>, tuple<sequence<1>>,
                                         tuple<sequence<1>>, sequence<1, 2>, sequence<0, 0>>;
using tile = embed_encoding<whole, whole>;
#else
using whole = tile_distribution_encoding<sequence<>, tuple<sequence<3, 4>, sequence<2>>, tuple<sequence<1>>,
                                         tuple<sequence<1>>, sequence<1, 2>, sequence<0, 0>>;
using line = reduce_encoding<whole, 1>;
using tile = embed_encoding<whole, line>;
#endif

static_assert(encoding<tile>);
