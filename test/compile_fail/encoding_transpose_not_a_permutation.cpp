// Dimension 0 twice, dimension 1 never.
//
// expect: tegula: transpose needs every tensor dimension once

#include <tegula/layout/encoding.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using whole = tile_distribution_encoding<sequence<>, tuple<sequence<3, 4>, sequence<2>>, tuple<sequence<1>>,
                                         tuple<sequence<1>>, sequence<1, 2>, sequence<0, 0>>;
using turned = transpose_encoding<whole, sequence<1, 0>>;
#else
using whole = tile_distribution_encoding<sequence<>, tuple<sequence<3, 4>, sequence<2>>, tuple<sequence<1>>,
                                         tuple<sequence<1>>, sequence<1, 2>, sequence<0, 0>>;
using turned = transpose_encoding<whole, sequence<0, 0>>;
#endif

static_assert(encoding<turned>);
