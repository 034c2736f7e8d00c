// A slice of a two-dimensional tile with one begin and one end.
//
// expect: tegula: a slice needs one begin and one end for every tensor dimension

#include <tegula/layout/encoding.hpp>

using namespace tegula;

using whole = tile_distribution_encoding<sequence<>, tuple<sequence<3, 4>, sequence<2>>, tuple<sequence<1>>,
                                         tuple<sequence<1>>, sequence<1, 2>, sequence<0, 0>>;
#ifdef TEGULA_CONTROL
using part = slice_encoding<whole, sequence<4, 0>, sequence<8, 2>>;
#else
using part = slice_encoding<whole, sequence<4>, sequence<8>>;
#endif

static_assert(encoding<part>);
