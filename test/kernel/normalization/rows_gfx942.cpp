/// Kernels on rows on gfx942: softmax over all tiles, quantised outputs.

#include "test/kernel/normalization/rows.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {
using target = arch::gfx942;
}

TEST_CASE("rows on gfx942: softmax") { check_softmax_shapes<target, half, half>(); }

TEST_CASE("rows on gfx942: a row that fits is read once") { check_softmax_sectors<target, half, half>(); }

TEST_CASE("rows on gfx942: gradient of softmax")
{
    for (const long_index_t length : {1, 65, 2048, 20001})
        check_softmax_backward<target, half, softmax_form::softmax>(3, length, length % 2 == 0);
    check_softmax_backward<target, half, softmax_form::softmax>(24, 40, false, 0);
    check_softmax_backward<target, half, softmax_form::softmax>(0, 8, false);
}
