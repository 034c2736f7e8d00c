#pragma once

#include <tegula/host/launch_microscaled.hpp>
#include <tegula/host/launch_warp_specialized.hpp>
#include <tegula/kernel/gemm/tcgen05/scaled_dispatch.hpp>

/// Products of operands with scales of blocks along k on sm_100a and sm_103a; see launch_gemm.hpp.

namespace tegula {

/// Starts the kernel of Kernels, tcgen05_scaled_kernels, that takes the product; a product without elements starts none.
///
/// Errors: those of can_implement and launch_warp_specialized; unsupported if tensor copies cannot address an operand.
template <class Kernels, class Device>
status launch_block_scaled(Device&& device, const typename Kernels::arguments& args)
{
    if (status s = can_implement(args); !s)
        return device.refuse(s);
    if (args.m == 0 || args.n == 0 || args.batch == 0)
        return {};
    return Kernels::dispatch(
        args, [&](auto kernel) { return launch_warp_specialized(device, kernel, args); },
        [&](const status& why) { return device.refuse(why); });
}

} // namespace tegula
