// Two majors and one minor: the lists of a P differ in length.
//
// expect: tegula: the lists of RH majors and minors differ in length; every digit is one major and one minor
// expect: majors_and_minors_pair_up<false, 2, 1>

#include <tegula/layout/encoding.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using broken = tile_distribution_encoding<sequence<>, tuple<sequence<4, 2>>, tuple<sequence<1, 1>>,
                                          tuple<sequence<0, 1>>, sequence<>, sequence<>>;
#else
using broken = tile_distribution_encoding<sequence<>, tuple<sequence<4, 2>>, tuple<sequence<1, 1>>, tuple<sequence<0>>,
                                          sequence<>, sequence<>>;
#endif

static_assert(encoding<broken>);
