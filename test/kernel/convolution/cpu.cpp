/// Convolutions on CPUs, as the machine's own code and on the strict emulator: what is checked of GPUs.

#include "test/kernel/convolution/convolution.hpp"
#include "test/kernel/cpu_tiles.hpp"
#include "test/kernel/device_of_cpu.hpp"

using namespace tegula;
using namespace tegula::test;
using enum convolution_direction;

TEST_CASE("CPU: convolutions, f32", "[convolution][cpu]")
{
    if (!has_target<arch::x86_avx2>())
        return;
    check_convolutions<forward, 2, native_cpu_tile>(quarter::first);
    check_convolutions<backward_data, 2, native_cpu_tile>(quarter::second);
    check_convolutions<backward_weight, 2, native_cpu_tile>(quarter::third);
}
TEST_CASE("CPU: convolutions on the strict emulator, f32", "[convolution][cpu]")
{
    check_convolutions<forward, 2, strict_cpu_tile>(quarter::fourth);
    check_convolutions<backward_data, 2, strict_cpu_tile>(quarter::third);
    check_convolutions<backward_weight, 2, strict_cpu_tile>(quarter::second);
}
