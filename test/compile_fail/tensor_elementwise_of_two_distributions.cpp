// A sum of tensors whose registers hold different elements.
//
// a beginner's mistake
// expect: tegula: elementwise operations need tensors of one distribution; convert() them first

#include <tegula/tensor.hpp>

using namespace tegula;

template <class YsMinor>
using pairs = tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<2, 32, 2>>, tuple<sequence<1>>,
                                                           tuple<sequence<1>>, sequence<1, 1>, YsMinor>>;
using a = pairs<sequence<0, 2>>;
#ifdef TEGULA_CONTROL
using b = a;
#else
using b = pairs<sequence<2, 0>>;
#endif

auto sum(const distributed_tensor<float, a>& x, const distributed_tensor<float, b>& y)
{
    return elementwise([](float p, float q) { return p + q; }, x, y);
}
