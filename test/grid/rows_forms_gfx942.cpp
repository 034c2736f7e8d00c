/// Kernels on rows on gfx942: quantised outputs, top-k.

#include "test/kernel/normalization/rows.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {
using target = arch::gfx942;
}

TEST_CASE("rows on gfx942: RMS norm quantised to int8")
{
    using tiles = few_row_tiles_for<target, row_vector<bfloat16, bfloat16>>;
    for (const long_index_t length : {8, 129, 2048, 20000})
        for (const bool fused : {false, true})
            check_norm<target, tiles, norm_kind::rms, bfloat16, std::int8_t>(3, length, fused);
}

TEST_CASE("rows on gfx942: top-k with softmax")
{
    check_topk_softmax<target, float>(5, 128, 8, true);
    check_topk_softmax<target, float>(3, 5, 5, false);
    check_topk_softmax<target, float>(2, 5003, 32, true);
}
