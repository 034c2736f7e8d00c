// The row and the column of a window as two arguments.
//
// a beginner's mistake
// expect: tegula: the origin of a window is written in braces, with an index for each dimension of its view

#include <tegula/tensor.hpp>

using namespace tegula;
using target = arch::sm_80;
using rows =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<32>, sequence<4>>, tuple<sequence<1>>,
                                                 tuple<sequence<0>>, sequence<2>, sequence<0>>>;

auto read(const float* data, int m, int n, int row)
{
    const auto view = make_tensor_view<target, address_space::global>(data, make_packed_descriptor(make_tuple(m, n)));
#ifdef TEGULA_CONTROL
    return load(make_tile_window<rows>(view, {row, 0}));
#else
    return load(make_tile_window<rows>(view, row, 0));
#endif
}
