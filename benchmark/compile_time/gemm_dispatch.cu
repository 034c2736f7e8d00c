// The kernels of one tile for operands that lie in one order, and for any others, with their launch.

#include <tegula/gemm.hpp>
#include <tegula/host/gpu_launch.hpp>
#include <tegula/host/launch.hpp>

using namespace tegula;

#if defined(__HIP__)
using target = arch::gfx942;
#else
using target = arch::sm_80;
#endif
using tile = gemm_tile<target, default_atom<target, bfloat16>, 128, 128, 32, 2, 4, 3>;
using order = operand_orders<operand_order::k_contiguous, operand_order::row_contiguous>;
using kernels = gemm_kernels<tile, float, epilogue::linear<>, order>;

status multiply(const kernels::arguments& args)
{
    return kernels::dispatch(args, [&](auto kernel) { return launch(gpu_device{}, kernel, args); });
}
