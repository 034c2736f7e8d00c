/// Elementwise operations and moves by the tests of GPUs, with the emulator as the device: right results pass, wrong ones
/// do not.

#include <tegula/host/emulated_device.hpp>

#include "test/catch.hpp"
#include "test/gpu/shape_checks.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::sm_80;

TEST_CASE("elementwise operations and moves are compared with their formulas, every element")
{
    emulated_device device;
    for (const shape_sizes& size : shape_cases(false))
        CHECK(check_shapes<target, bfloat16, kernel_choice::few>(device, size, 1) == "");
}

TEST_CASE("formulas of moves and windows say which element is wrong")
{
    emulated_device device;
    arrays_on<target, emulated_device> on(device);
    const half* const x = on.uniform<half>(60, 1);
    half* const y = on.room<half>(60);
    const auto wrong = [&](const auto& formula) { return check_formula<target>(device, "formula", formula); };
    const auto make_right = [&](const auto& formula) {
        for (long_index_t i = 0; i < formula.count(); ++i)
            y[i] = convert<half>(formula.expected(i).value);
    };
    const auto check = [&](const auto& formula, int spoilt) {
        make_right(formula);
        CHECK(wrong(formula) == "");
        y[spoilt] = convert<half>(formula.expected(spoilt).value + 0.01);
        CHECK(wrong(formula).starts_with("formula: 1 of " + std::to_string(formula.count()) +
                                         " elements are wrong; the error of element " + std::to_string(spoilt)));
    };
    check(permuted_formula<half>{x, y, 3, 4, 5}, 17);
    check(gated_formula<half>{x, x, x, y, 6, 10}, 59);
    const long_index_t* const positions = on.put(std::vector<long_index_t>{0, 1, 2, 300, 40000, 1 << 20});
    check(rotary_formula<half>{x, y, positions, 6, 10, std::log(10000.0)}, 33);
    pooling_arguments<half> pool{pooling::average, make_tensor_argument(x, {1, 3, 4, 5})};
    pool.window[0] = pool.window[1] = 2;
    pool.output = make_tensor_argument(y, {1, 2, 3, 5});
    check(pooled_formula<half>{pool}, 7);
    pool.kind = pooling::maximum;
    check(pooled_formula<half>{pool}, 29);
}
