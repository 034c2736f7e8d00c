// A GEMM block encoding that circulates in documentation: P and Y both claim digits (1,1) and (2,0).
//
// expect: tegula: a digit of the encoding has more than one owner; give it to exactly one P or Y
// expect: every_digit_has_one_owner<false, 1, 1, 2>

#include <tegula/layout/encoding.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using broken = tile_distribution_encoding<Sequence<>, Tuple<Sequence<2, 2>, Sequence<2, 2>>, Tuple<Sequence<1, 2>>,
                                          Tuple<Sequence<1, 0>>, Sequence<1, 2>, Sequence<0, 1>>;
#else
using broken = tile_distribution_encoding<Sequence<>, Tuple<Sequence<2, 2>, Sequence<2, 2>>, Tuple<Sequence<1, 2>>,
                                          Tuple<Sequence<1, 0>>, Sequence<1, 1, 2, 2>, Sequence<0, 1, 0, 1>>;
#endif

static_assert(encoding<broken>);
