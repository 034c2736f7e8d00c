// A store through a view of const elements.
//
// a beginner's mistake
// expect: tegula: the view is of const elements; only a view of writable ones can be stored to

#include <tegula/tensor.hpp>

using namespace tegula;
using target = arch::sm_80;

using line = tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<32>>, tuple<sequence<1>>,
                                                          tuple<sequence<0>>, sequence<>, sequence<>>>;
#ifdef TEGULA_CONTROL
using element = float;
#else
using element = const float;
#endif

void write(element* to, const distributed_tensor<float, line>& tensor)
{
    const auto view = make_tensor_view<target, address_space::global>(to, make_packed_descriptor(sequence<32>{}));
    store(make_tile_window<line>(view, {0}), tensor);
}
