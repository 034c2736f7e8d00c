// An origin of three indices, made elsewhere, for a window into a matrix.
//
// a beginner's mistake
// expect: tegula: the origin and the steps of a window have one index for each dimension of its view
// expect g++: <false, 3, 2>

#include <tegula/tensor.hpp>

using namespace tegula;
using target = arch::sm_80;
using rows =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<32>, sequence<4>>, tuple<sequence<1>>,
                                                 tuple<sequence<0>>, sequence<2>, sequence<0>>>;
#ifdef TEGULA_CONTROL
constexpr int dims = 2;
#else
constexpr int dims = 3;
#endif

auto read(const float* data, int m, int n, const multi_index<dims>& corner)
{
    const auto view = make_tensor_view<target, address_space::global>(data, make_packed_descriptor(make_tuple(m, n)));
    auto window = make_tile_window<rows>(view, corner);
    window.move(corner);
    return load(window);
}
