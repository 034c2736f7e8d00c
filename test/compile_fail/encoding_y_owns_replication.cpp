// A register dimension counts replication: every copy would sit in the same lane.
//
// expect: tegula: an R digit belongs to a Y; only a P may own replication
// expect: only_p_owns_replication<false, 0, 0>

#include <tegula/layout/encoding.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using broken = tile_distribution_encoding<sequence<2>, tuple<sequence<4>>, tuple<sequence<0>>, tuple<sequence<0>>,
                                          sequence<1>, sequence<0>>;
#else
using broken = tile_distribution_encoding<sequence<2>, tuple<sequence<4>>, tuple<sequence<1>>, tuple<sequence<0>>,
                                          sequence<0>, sequence<0>>;
#endif

static_assert(encoding<broken>);
