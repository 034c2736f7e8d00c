// A digit of P as a sequence, not as digit<major, minor>.
//
// expect: tegula: the digits of a P, or those of Y, are a tuple of digit<>: tuple<digit<1, 2>, digit<2, 0>>

#include <tegula/layout/encoding.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using lane = tuple<digit<1, 0>>;
#else
using lane = tuple<sequence<1, 0>>;
#endif

using broken = tile_distribution_encoding_of<sequence<>, tuple<sequence<4, 2>>, tuple<lane>, tuple<digit<1, 1>>>;
static_assert(encoding<broken>);
