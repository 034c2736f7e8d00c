/// Kernels on rows on gfx1100: layer norm over all tiles, and its gradients.

#include "test/kernel/normalization/rows.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {
using target = arch::gfx1100;
}

TEST_CASE("rows on gfx1100: layer norm")
{
    using tiles = row_tiles_for<target, row_vector<bfloat16, bfloat16>>;
    for (const long_index_t length : {1, 24, 65, 512, 1000, 1024, 4096, 5001, 16384, 40000})
        check_norm<target, tiles, norm_kind::layer, bfloat16, bfloat16>(5, length, length % 5 != 0);
    check_norm<target, tiles, norm_kind::layer, bfloat16, bfloat16>(0, 16, true);
}

TEST_CASE("rows on gfx1100: gradients of norms")
{
    using tiles = few_row_tiles_for<target, row_vector<half, float>>;
    for (const long_index_t length : {1, 33, 1024, 9000})
        check_norm_backward<target, tiles, norm_kind::layer, half>(length == 33 ? 150 : 3, length);
    check_norm_backward<target, tiles, norm_kind::layer, half>(5, 1024, 0);
    check_norm_backward<target, tiles, norm_kind::rms, half>(7, 100);
}

TEST_CASE("rows on gfx1100: cross-entropy")
{
    for (const long_index_t length : {5, 1000, 4096, 33001})
        check_cross_entropy<target, half>(5, length);
}
