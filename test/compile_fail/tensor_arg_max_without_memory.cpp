// An arg-max between waves without shared memory.
//
// a beginner's mistake
// expect: tegula: this operation crosses waves; give it its scratch bytes of shared memory
// errors: 1

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

auto run(const distributed_tensor<float, rows>& tile)
{
    const auto largest = arg_max<target, dim>(tile);
    return largest;
}
