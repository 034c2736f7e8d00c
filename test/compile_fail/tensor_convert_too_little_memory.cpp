// Scratch memory that does not hold one vector of 16 bytes.
//
// expect: tegula: a conversion passes through shared memory 16 bytes at a time or more; give it that much
// expect: scratch_holds_a_vector<false, 12>

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
constexpr index_t bytes = 16;
#else
constexpr index_t bytes = 12;
#endif

auto change(const distributed_tensor<float, by_rows>& tile, std::byte* scratch)
{
    return convert_through_shared<target, by_columns, bytes>(tile, scratch);
}
