// Half of what the lanes hold: a slice is cut along registers only.
//
// expect: tegula: a slice of a distributed tile must be cut along Y digits

#include <tegula/layout/encoding.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using whole = tile_distribution_encoding<sequence<>, tuple<sequence<3, 4>, sequence<2>>, tuple<sequence<1>>,
                                         tuple<sequence<1>>, sequence<1, 2>, sequence<0, 0>>;
using part = slice_encoding<whole, sequence<4, 0>, sequence<8, 2>>;
#else
using whole = tile_distribution_encoding<sequence<>, tuple<sequence<3, 4>, sequence<2>>, tuple<sequence<1>>,
                                         tuple<sequence<1>>, sequence<1, 2>, sequence<0, 0>>;
using part = slice_encoding<whole, sequence<0, 0>, sequence<2, 2>>;
#endif

static_assert(encoding<part>);
