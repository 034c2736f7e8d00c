// An asynchronous copy on a target that has none.
//
// expect: tegula: this target has no asynchronous copy; load and store instead

#include <tegula/tensor.hpp>

using namespace tegula;
#ifdef TEGULA_CONTROL
using target = arch::sm_80;
#else
using target = arch::gfx1100;
#endif

using line = tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<32>>, tuple<sequence<1>>,
                                                          tuple<sequence<0>>, sequence<>, sequence<>>>;

void copy(const float* from, float* to)
{
    const auto lengths = make_packed_descriptor(sequence<32>{});
    async_load<bounds::checked>(
        make_tile_window<line>(make_tensor_view<target, address_space::shared>(to, lengths), {0}),
        make_tile_window<line>(make_tensor_view<target, address_space::global>(from, lengths), {0}));
}
