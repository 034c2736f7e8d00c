// Scratch memory that does not hold one row of 128 bytes.
//
// expect: tegula: the scratch memory does not hold one position of the tile's first dimension; give more
// expect: scratch_holds_one_row<false, 128, 100>

#include <tegula/tensor.hpp>

using namespace tegula;
using target = arch::sm_80;

using by_rows =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<32>, sequence<32>>, tuple<sequence<1>>,
                                                 tuple<sequence<0>>, sequence<2>, sequence<0>>>;
using by_columns =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<32>, sequence<32>>, tuple<sequence<2>>,
                                                 tuple<sequence<0>>, sequence<1>, sequence<0>>>;
#ifdef TEGULA_CONTROL
constexpr index_t bytes = 128;
#else
constexpr index_t bytes = 100;
#endif

auto change(const distributed_tensor<float, by_rows>& tile, std::byte* scratch)
{
    return redistribute<target, by_columns, bytes>(tile, scratch);
}
