/// Kernels on rows on sm_80: float, fp8 outputs, and moments of numbers far from 0.

#include "test/kernel/rows.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {
using target = arch::sm_80;
}

TEST_CASE("rows on sm_80: log-softmax") { check_softmax_shapes<target, float, float, softmax_form::log_softmax>(); }

TEST_CASE("rows on sm_80: layer norm of numbers far from 0")
{
    using tiles = few_row_tiles_for<target, row_vector<float, float>>;
    for (const long_index_t length : {7, 1024, 20000})
        check_norm<target, tiles, norm_kind::layer, float, float>(3, length, false, 1000);
}

TEST_CASE("rows on sm_80: smoothed, residual added, quantised to fp8")
{
    using tiles = few_row_tiles_for<target, row_vector<half, half>>;
    for (const long_index_t length : {16, 999, 20000})
        check_norm<target, tiles, norm_kind::none, half, float8_e4m3>(3, length, true);
}

TEST_CASE("rows on sm_80: cross-entropy") { check_cross_entropy<target, float>(4, 1003); }

TEST_CASE("rows on sm_80: top-k with softmax") { check_topk_softmax<target, bfloat16>(9, 64, 6, true); }

TEST_CASE("rows on sm_80: gradient of log-softmax")
{
    for (const long_index_t length : {7, 1024, 20000})
        check_softmax_backward<target, float, softmax_form::log_softmax>(3, length, length == 1024);
}
