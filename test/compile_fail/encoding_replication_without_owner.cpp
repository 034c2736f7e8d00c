// A replication length that no P counts.
//
// expect: tegula: a digit of the encoding belongs to no P and no Y; give it to exactly one
// expect: every_digit_has_an_owner<false, 0, 0>

#include <tegula/layout/encoding.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using broken = tile_distribution_encoding<sequence<2>, tuple<sequence<4>>, tuple<sequence<0, 1>>, tuple<sequence<0, 0>>,
                                          sequence<>, sequence<>>;
#else
using broken = tile_distribution_encoding<sequence<2>, tuple<sequence<4>>, tuple<sequence<1>>, tuple<sequence<0>>,
                                          sequence<>, sequence<>>;
#endif

static_assert(encoding<broken>);
