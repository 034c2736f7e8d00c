/// Kernels on rows on gfx942: softmax over all tiles, quantised outputs.

#include "test/kernel/normalization/rows.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {
using target = arch::gfx942;
}

TEST_CASE("rows on gfx942: softmax") { check_softmax_shapes<target, half, half>(); }

TEST_CASE("rows on gfx942: a row that fits is read once") { check_softmax_sectors<target, half, half>(); }

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

TEST_CASE("rows on gfx942: gradient of softmax")
{
    for (const long_index_t length : {1, 65, 2048, 20001})
        check_softmax_backward<target, half, softmax_form::softmax>(3, length, length % 2 == 0);
    check_softmax_backward<target, half, softmax_form::softmax>(24, 40, false, 0);
    check_softmax_backward<target, half, softmax_form::softmax>(0, 8, false);
}
