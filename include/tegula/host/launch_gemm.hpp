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

namespace detail {

/// launch_gemm of any kernel that takes these arguments: start(device, kernel, arguments) is its launch.
template <class Device, class Arguments>
status launch_product(Device& device, const Arguments& args, const void* kernel,
                      status (*start)(Device&, const void* kernel, const Arguments&))
{
    if (status s = check_arguments(args); !s)
        return device.refuse(s);
    const auto normal = normalize(args);
    return device.with_memory([&](auto& memory) { add_product(memory, normal); },
                              [&] { return start(device, kernel, normal); });
}

} // namespace detail

/// Starts a GEMM kernel: gemm_kernel, quantized_weights_gemm or block_scaled_gemm. On a GPU it does not wait; on the emulator it
/// is done.
///
/// Errors: those of can_implement, check_epilogue and launch. With the first two nothing ran.
template <class Device, launchable Kernel>
status launch_gemm(Device&& device, Kernel kernel, const typename Kernel::arguments& args)
{
    using device_type = std::remove_reference_t<Device>;
    using arguments = typename Kernel::arguments;
    return detail::launch_product<device_type, arguments>(
        device, args, &kernel, [](device_type& on, const void* object, const arguments& normal) {
            return launch(on, config_for<Kernel>(normal, "gemm"), *static_cast<const Kernel*>(object), normal);
        });
}

} // namespace tegula
