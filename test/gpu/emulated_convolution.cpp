/// Convolutions by the tests of GPUs, with the emulator as the device: right results pass, wrong ones do not.

#include <tegula/host/emulated_device.hpp>

#include "test/catch.hpp"
#include "test/gpu/convolution_checks.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

using target = arch::sm_80;
using enum convolution_direction;
template <convolution_direction Direction, int Dims = 2>
using kernels = convolution_kernels<Direction, Dims, prologue_tiles<target, bfloat16>::small, float, epilogue::none>;

template <convolution_direction Direction, int Dims>
std::string check_small(const convolution_shape<Dims>& shape)
{
    emulated_device device;
    return check_convolution<target, bfloat16, float, Direction, Dims, kernels<Direction, Dims>>(device, shape, 1);
}

/// With another padding than its kernel is given.
struct other_padding : kernels<forward>
{
    template <class Launcher>
    status launches(arguments args, Launcher& launch) const
    {
        args.shape.padding[0] -= 1;
        return kernels<forward>::launches(args, launch);
    }
};

} // namespace

TEST_CASE("convolutions in three directions are compared with their definition, every element")
{
    for (const auto& shape : convolution_cases<2>(false)) {
        CHECK(check_small<forward>(shape) == "");
        CHECK(check_small<backward_data>(shape) == "");
        CHECK(check_small<backward_weight>(shape) == "");
    }
    for (const auto& shape : convolution_cases<3>(false)) {
        CHECK(check_small<forward>(shape) == "");
        CHECK(check_small<backward_data>(shape) == "");
        CHECK(check_small<backward_weight>(shape) == "");
    }
    emulated_device device;
    CHECK(check_im2col<target, half, 8>(device, convolution_cases<2>(false)[0], 2) == "");
    CHECK(check_im2col<target, half, 1>(device, convolution_cases<2>(false)[1], 3) == "");
    const std::string wrong = check_convolution<target, bfloat16, float, forward, 2, other_padding>(
        device, convolution_cases<2>(false)[0], 4);
    CHECK((wrong.starts_with("forward: ") && wrong.find("elements are wrong") != std::string::npos));
}
