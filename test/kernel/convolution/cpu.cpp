/// Convolutions on CPUs, as the machine's own code and on the strict emulator: what is checked of GPUs.

#include "test/kernel/device_of_cpu.hpp"

#include "test/kernel/convolution/convolution.hpp"

#include <tegula/kernel/gemm/cpu/prologue.hpp>

using namespace tegula;
using namespace tegula::test;
using enum convolution_direction;

namespace {

using fma = x86::avx2::fma_f32;
using native = prologue_tiles<arch::x86_avx2, float>::small;
using emulated = cpu_gemm_tile<arch::strict<arch::x86_avx2>, float, fma, 2 * fma::rows, 2 * fma::tile_columns, 16>;

} // namespace

TEST_CASE("CPU: convolutions, f32", "[convolution][cpu]")
{
    if (!has_target<arch::x86_avx2>())
        return;
    check_convolutions<forward, 2, native>(quarter::first);
    check_convolutions<backward_data, 2, native>(quarter::second);
    check_convolutions<backward_weight, 2, native>(quarter::third);
}
TEST_CASE("CPU: convolutions on the strict emulator, f32", "[convolution][cpu]")
{
    check_convolutions<forward, 2, emulated>(quarter::fourth);
    check_convolutions<backward_data, 2, emulated>(quarter::third);
    check_convolutions<backward_weight, 2, emulated>(quarter::second);
}
