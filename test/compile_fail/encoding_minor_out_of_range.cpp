// X_1 has two digits; a P names a third.
//
// expect: tegula: a P or a Y names a digit that does not exist; use a major and a minor in range
// expect: every_named_digit_exists<false, 2, 2>

#include <tegula/layout/encoding.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using broken = tile_distribution_encoding<sequence<>, tuple<sequence<4>, sequence<2, 3>>, tuple<sequence<1, 2>>,
                                          tuple<sequence<0, 0>>, sequence<2>, sequence<1>>;
#else
using broken = tile_distribution_encoding<sequence<>, tuple<sequence<4>, sequence<2, 3>>, tuple<sequence<1, 2, 2>>,
                                          tuple<sequence<0, 0, 2>>, sequence<2>, sequence<1>>;
#endif

static_assert(encoding<broken>);
