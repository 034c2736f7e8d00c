// The second digit of X_0 is given to nobody.
//
// a beginner's mistake
// expect: tegula: a digit of the encoding belongs to no P and no Y; give it to exactly one
// expect: every_digit_has_an_owner<false, 1, 1>

#include <tegula/layout/encoding.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using broken = tile_distribution_encoding<sequence<>, tuple<sequence<4, 2>>, tuple<sequence<1>>, tuple<sequence<0>>,
                                          sequence<1>, sequence<1>>;
#else
using broken = tile_distribution_encoding<sequence<>, tuple<sequence<4, 2>>, tuple<sequence<1>>, tuple<sequence<0>>,
                                          sequence<>, sequence<>>;
#endif

static_assert(encoding<broken>);
