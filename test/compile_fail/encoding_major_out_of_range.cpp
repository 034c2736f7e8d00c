// There is one tensor dimension; a Y names a digit of a second.
//
// expect: tegula: a P or a Y names a digit that does not exist; use a major and a minor in range
// expect: every_named_digit_exists<false, 2, 0>

#include <tegula/layout/encoding.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using broken = tile_distribution_encoding<sequence<>, tuple<sequence<4>, sequence<1>>, tuple<sequence<1>>,
                                          tuple<sequence<0>>, sequence<2>, sequence<0>>;
#else
using broken = tile_distribution_encoding<sequence<>, tuple<sequence<4>>, tuple<sequence<1>>, tuple<sequence<0>>,
                                          sequence<2>, sequence<0>>;
#endif

static_assert(encoding<broken>);
