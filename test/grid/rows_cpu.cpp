/// Kernels on rows on CPUs, as the machine's own code and on the strict emulator: losses, gradients and the whole range of float.

#include "test/kernel/device_of_cpu.hpp"
#include "test/kernel/normalization/row_range.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

using native = arch::x86_avx2;

} // namespace

TEST_CASE("rows on CPUs: losses and gradients", "[cpu]")
{
    if (!has_target<native>())
        return;
    check_cross_entropy<native, float>(4, 1003);
    check_cross_entropy<native, bfloat16>(4, 1024);
    for (const long_index_t length : {7, 1024, 20000})
        check_softmax_backward<native, float, softmax_form::softmax>(3, length, false);
}

TEST_CASE("rows on CPUs: the whole range of float", "[cpu]")
{
    if (has_target<native>())
        CHECK(check_row_range<native, float>(31, 180, 20000).problems == 180);
}
