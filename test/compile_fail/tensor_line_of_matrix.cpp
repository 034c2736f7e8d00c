// A tile of one dimension loaded from a view of two, and stored.
//
// a beginner's mistake
// expect: tegula: the tile distribution and the tensor view differ in the number of dimensions
// errors: 1

#include <tegula/tensor.hpp>

using namespace tegula;
using target = arch::sm_80;
#ifdef TEGULA_CONTROL
using tile = coalesced<target, float, 32, 32, 1>;
#else
using tile = coalesced_vector<target, float, 128, 1>;
#endif

void copy(float* data, int m, int n)
{
    const auto view = make_tensor_view<target, address_space::global>(data, make_packed_descriptor(make_tuple(m, n)));
    const auto window = make_tile_window<tile>(view, {0, 0});
    store(window, load(window));
}
