// A tile of two waves converted to one of four: no block holds both.
//
// expect: tegula: a conversion needs two distributions over the same threads, or one over a single wave

#include <tegula/tensor.hpp>

using namespace tegula;

template <index_t Waves>
using rows = tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<32>, sequence<Waves, 8 / Waves>>,
                                                          tuple<sequence<2>, sequence<1>>,
                                                          tuple<sequence<0>, sequence<0>>, sequence<2>, sequence<1>>>;

#ifdef TEGULA_CONTROL
constexpr index_t bytes = conversion_scratch_bytes<arch::sm_80, float, rows<4>, rows<4>>;
#else
constexpr index_t bytes = conversion_scratch_bytes<arch::sm_80, float, rows<2>, rows<4>>;
#endif
