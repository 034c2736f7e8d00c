/// Kernels on rows, reductions and scans by the tests of GPUs, with the emulator as the device: right results pass, wrong
/// ones do not.

#include <tegula/host/emulated_device.hpp>

#include "test/catch.hpp"
#include "test/gpu/row_checks.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("rows, reductions and scans are compared with their formulas, every element")
{
    emulated_device device;
    using target = arch::sm_80;
    for (const row_sizes& size : row_cases(false)) {
        CHECK(check_normalizations<target, half, few_row_tiles_for<target, 8>>(device, size, 1) == "");
        CHECK(check_reductions<target, bfloat16>(device, size, 2) == "");
    }
    CHECK(check_reductions<target, bfloat16>(device, {1, 20000}, 3) == "");
}

TEST_CASE("a formula says which element is wrong")
{
    emulated_device device;
    arrays_on<arch::sm_80, emulated_device> on(device);
    half* const x = on.uniform<half>(300, 1);
    const softmax_formula<half, half> right{{x, x, 3, 100}, false};
    half* const y = on.room<half>(300);
    const softmax_formula<half, half> formula{{x, y, 3, 100}, false};
    CHECK(check_formula<arch::sm_80>(device, "softmax", formula).starts_with("softmax: 300 of 300 elements are wrong"));
    for (int i = 0; i < 300; ++i)
        y[i] = convert<half>(right.expected(i).value);
    CHECK(check_formula<arch::sm_80>(device, "softmax", formula) == "");
    y[234] = convert<half>(right.expected(234).value * 1.003);
    CHECK(check_formula<arch::sm_80>(device, "softmax", formula)
              .starts_with("softmax: 1 of 300 elements are wrong; the "
                           "error of element 234 is"));
}
