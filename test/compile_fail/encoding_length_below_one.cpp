// A digit of length 0.
//
// expect: tegula: a digit of the encoding has a length below 1; lengths start at 1
// expect: every_length_is_positive<false, 1, 1, 0>

#include <tegula/layout/encoding.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using broken = tile_distribution_encoding<sequence<>, tuple<sequence<4, 1>>, tuple<sequence<1>>, tuple<sequence<0>>,
                                          sequence<1>, sequence<1>>;
#else
using broken = tile_distribution_encoding<sequence<>, tuple<sequence<4, 0>>, tuple<sequence<1>>, tuple<sequence<0>>,
                                          sequence<1>, sequence<1>>;
#endif

static_assert(encoding<broken>);
