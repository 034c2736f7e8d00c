// A wave and a lane both count the first digit of X_0.
//
// a beginner's mistake
// expect: tegula: a digit of the encoding has more than one owner; give it to exactly one P or Y
// expect: every_digit_has_one_owner<false, 1, 0, 2>

#include <tegula/layout/encoding.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using broken = tile_distribution_encoding<sequence<>, tuple<sequence<4, 2>>, tuple<sequence<1>, sequence<1>>,
                                          tuple<sequence<0>, sequence<1>>, sequence<>, sequence<>>;
#else
using broken = tile_distribution_encoding<sequence<>, tuple<sequence<4, 2>>, tuple<sequence<1>, sequence<1, 1>>,
                                          tuple<sequence<0>, sequence<0, 1>>, sequence<>, sequence<>>;
#endif

static_assert(encoding<broken>);
