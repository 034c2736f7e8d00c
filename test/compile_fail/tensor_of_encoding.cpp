// A tensor of an encoding, which windows and make_distributed_tensor take.
//
// a beginner's mistake
// expect: tegula: a distributed_tensor is of a distribution, and this is an encoding
// errors: 1

#include <tegula/tensor.hpp>

using namespace tegula;
using target = arch::sm_80;
using rows = tile_distribution_encoding<sequence<>, tuple<sequence<32>, sequence<4>>, tuple<sequence<1>>,
                                        tuple<sequence<0>>, sequence<2>, sequence<0>>;

float first(const float* data, int m, int n)
{
    const auto view = make_tensor_view<target, address_space::global>(data, make_packed_descriptor(make_tuple(m, n)));
    auto zeros = make_distributed_tensor<float, rows>(0);
    zeros[0] += load(make_tile_window<rows>(view, {0, 0}))[0];
#ifdef TEGULA_CONTROL
    distributed_tensor<float, tile_distribution<rows>> tile = zeros;
#else
    distributed_tensor<float, rows> tile;
    tile[0] = zeros[0];
#endif
    return tile[0];
}
