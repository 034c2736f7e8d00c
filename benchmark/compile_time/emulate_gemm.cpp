// One GEMM on the emulator.

#include <tegula/gemm.hpp>
#include <tegula/host/emulated_device.hpp>

using namespace tegula;

using target = arch::gfx942;
using tile = gemm_tile<target, default_atom<target, bfloat16>, 128, 128, 32, 2, 2>;
using kernel =
    gemm_kernels<tile, float, epilogue::linear<>>::aligned<operand_order::k_contiguous, operand_order::k_contiguous>;

emulator::launch_result multiply(const kernel::arguments& args) { return emulate(kernel{}, args); }
