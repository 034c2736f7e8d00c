// A tile of one dimension in a view of two.
//
// a beginner's mistake
// expect: tegula: the tile distribution and the tensor view differ in the number of dimensions

#include <tegula/tensor.hpp>

using namespace tegula;
using target = arch::sm_80;

using line = tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<32>>, tuple<sequence<1>>,
                                                          tuple<sequence<0>>, sequence<>, sequence<>>>;

#ifdef TEGULA_CONTROL
using lengths = sequence<64>;
#else
using lengths = sequence<64, 64>;
#endif
using view = decltype(make_tensor_view<target, address_space::global>(std::declval<float*>(),
                                                                      make_packed_descriptor(lengths{})));

static_assert(sizeof(tile_window<view, line>) > 0);
