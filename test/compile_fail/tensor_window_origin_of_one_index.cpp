// A window into a matrix whose origin has a row only; the column would have been 0.
//
// a beginner's mistake
// expect: tegula: the origin and the steps of a window have one index for each dimension of its view
// expect g++: <false, 1, 2>

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
    auto window = make_tile_window<rows>(view, {row, 0});
    window.move({0, 4});
#else
    auto window = make_tile_window<rows>(view, {row});
#endif
    return load(window);
}
