// A reduction between waves without shared memory.
//
// a beginner's mistake
// expect: tegula: this reduction crosses waves; give it reduce_scratch_bytes of shared memory

#include <tegula/tensor.hpp>

using namespace tegula;
using target = arch::sm_80;

using rows = tile_distribution<
    tile_distribution_encoding<sequence<>, tuple<sequence<2>, sequence<32>>, tuple<sequence<1>, sequence<2>>,
                               tuple<sequence<0>, sequence<0>>, sequence<>, sequence<>>>;
#ifdef TEGULA_CONTROL
constexpr index_t dim = 1;
#else
constexpr index_t dim = 0;
#endif

auto sum(const distributed_tensor<float, rows>& tile)
{
    return reduce<target, dim>(tile, [](float a, float b) { return a + b; });
}
