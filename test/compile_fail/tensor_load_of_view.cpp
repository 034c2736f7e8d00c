// A tile loaded from a view, without a window.
//
// a beginner's mistake
// expect: tegula: load, store and update move a tile through a window of a view
// errors: 1

#include <tegula/tensor.hpp>

using namespace tegula;
using target = arch::sm_80;
using rows = coalesced<target, float, 32, 32, 1>;

void read(const float* data, int m, int n)
{
    const auto view = make_tensor_view<target, address_space::global>(data, make_packed_descriptor(make_tuple(m, n)));
#ifdef TEGULA_CONTROL
    load(make_tile_window<rows>(view, {0, 0}));
#else
    load(view);
#endif
}
