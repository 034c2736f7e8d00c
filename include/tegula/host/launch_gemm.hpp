#pragma once

#include <tegula/host/gemm_memory.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/kernel/gemm/can_implement.hpp>
#include <tegula/kernel/gemm/normalize.hpp>

/// GEMM kernels on a device: gpu_device (gpu_launch.hpp) or emulated_device (emulated_device.hpp). All addresses in the
/// arguments are the device's. Whatever the device, arguments are checked and normalised first, so that the same
/// arguments give the same errors and, with an alpha of 0, the same result; the emulator learns what memory they name.

namespace tegula {

/// A grid of as many blocks as the kernel takes for the arguments.
template <class Kernel>
launch_config config_for(const typename Kernel::arguments& args, const char* name)
{
    launch_config config;
    config.grid.x = Kernel::blocks(args);
    config.name = name;
    return config;
}

/// Starts a GEMM kernel: gemm_kernel, quantized_weights_gemm or block_scaled_gemm. On a GPU it does not wait; on the emulator it
/// is done.
///
/// Errors: those of can_implement, check_epilogue and launch. With the first two nothing ran.
template <class Device, launchable Kernel>
status launch_gemm(Device&& device, Kernel kernel, const typename Kernel::arguments& args)
{
    status s = can_implement(args);
    if (s)
        s = check_epilogue(args);
    if (!s)
        return device.refuse(s);
    const auto normal = normalize(args);
    return device.with_memory([&](auto& memory) { add_product(memory, normal); },
                              [&] { return launch(device, config_for<Kernel>(normal, "gemm"), kernel, normal); });
}

} // namespace tegula
