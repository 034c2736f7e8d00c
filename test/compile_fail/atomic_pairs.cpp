// Elements of 16 bits on a target that does not add pairs.
//
// expect: tegula: the target has no atomic addition of pairs of these elements in this memory; add floats

#include <tegula/tensor.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using target = arch::gfx1201;
#else
using target = arch::gfx1100;
#endif
using tile = coalesced<target, half, 1, 256, 1>;

void add(half* to)
{
    const auto view = make_tensor_view<target, address_space::global>(to, make_packed_descriptor(sequence<1, 256>{}));
    atomic_add(make_tile_window<tile>(view, {0, 0}), distributed_tensor<half, tile>{});
}
