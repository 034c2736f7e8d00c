// A tensor stored through a window whose lanes hold other elements.
//
// a beginner's mistake
// expect: tegula: the tensor and the tile window differ in their distribution; convert() the tensor

#include <tegula/tensor.hpp>

using namespace tegula;
using target = arch::sm_80;

using neighbours = tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<32, 2>>, tuple<sequence<1>>,
                                                                tuple<sequence<0>>, sequence<1>, sequence<1>>>;
using strided = tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<2, 32>>, tuple<sequence<1>>,
                                                             tuple<sequence<1>>, sequence<1>, sequence<0>>>;
#ifdef TEGULA_CONTROL
using held = strided;
#else
using held = neighbours;
#endif

void write(float* to, const distributed_tensor<float, held>& tensor)
{
    const auto view = make_tensor_view<target, address_space::global>(to, make_packed_descriptor(sequence<64>{}));
    store(make_tile_window<strided>(view, {0}), tensor);
}
