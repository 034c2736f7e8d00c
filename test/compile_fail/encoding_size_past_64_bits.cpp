// A tile of 2^63 elements.
//
// expect: tegula: the product of the digit lengths does not fit 63 bits; use a smaller tile
// expect: sizes_fit_64_bits<false>

#include <tegula/layout/encoding.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using broken = tile_distribution_encoding<sequence<>, tuple<sequence<1 << 30, 1 << 30, 4>>, tuple<>, tuple<>,
                                          sequence<1, 1, 1>, sequence<0, 1, 2>>;
#else
using broken = tile_distribution_encoding<sequence<>, tuple<sequence<1 << 30, 1 << 30, 8>>, tuple<>, tuple<>,
                                          sequence<1, 1, 1>, sequence<0, 1, 2>>;
#endif

static_assert(encoding<broken>);
