// Seven tensor dimensions.
//
// expect: tegula: the encoding has more dimensions or digits than tegula::encoding_value keeps
// expect: encoding_fits_capacity<false>

#include <tegula/layout/encoding.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using one = sequence<2>;
using broken = tile_distribution_encoding<sequence<>, tuple<one, one, one, one, one, one>, tuple<>, tuple<>,
                                          sequence<1, 2, 3, 4, 5, 6>, sequence<0, 0, 0, 0, 0, 0>>;
#else
using one = sequence<2>;
using broken = tile_distribution_encoding<sequence<>, tuple<one, one, one, one, one, one, one>, tuple<>, tuple<>,
                                          sequence<1, 2, 3, 4, 5, 6>, sequence<0, 0, 0, 0, 0, 0>>;
#endif

static_assert(encoding<broken>);
