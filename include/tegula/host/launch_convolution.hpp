#pragma once

#include <tegula/host/launch_gemm.hpp>
#include <tegula/host/prologue_memory.hpp>
#include <tegula/kernel/convolution/im2col.hpp>
#include <tegula/kernel/convolution/product.hpp>

/// Convolutions on a device: gpu_device (gpu_launch.hpp) or emulated_device (emulated_device.hpp).

namespace tegula {

template <class T, int Dims, bool Adjoint, bool PixelsAreRows>
void add_operand(emulator::memory_ranges& memory, const image_rows<T, Dims, Adjoint, PixelsAreRows>& x, long_index_t,
                 long_index_t, long_index_t, const char* name)
{
    if (x.image.data != nullptr)
        memory.read(x.image.data + x.memory.first, static_cast<std::size_t>(x.memory.count) * sizeof(T), name);
}
template <class T, int Dims>
void add_operand(emulator::memory_ranges& memory, const filter_columns<T, Dims>& x, long_index_t, long_index_t,
                 long_index_t, const char* name)
{
    if (x.filter.data != nullptr)
        memory.read(x.filter.data + x.memory.first, static_cast<std::size_t>(x.memory.count) * sizeof(T), name);
}

/// Starts the kernel of Kernels, a convolution_kernels, that suits the arguments; all addresses are the device's. On a
/// GPU it does not wait; on the emulator it is done.
///
/// Errors: those of can_implement and launch. With the former nothing ran.
template <class Kernels, class Device>
status launch_convolution(Device&& device, const typename Kernels::arguments& args)
{
    if (status s = can_implement(args); !s)
        return device.refuse(s);
    return Kernels::dispatch(args,
                             [&](auto kernel, const auto& product) { return launch_gemm(device, kernel, product); });
}

/// Starts im2col_kernel; as launch_convolution.
template <class Device, launchable Kernel>
    requires requires(const typename Kernel::arguments& g) { g.columns; }
status launch_im2col(Device&& device, Kernel kernel, const typename Kernel::arguments& args)
{
    if (status s = can_implement(args); !s)
        return device.refuse(s);
    const auto& s = args.shape;
    return device.with_memory(
        [&](auto& memory) {
            const auto r = convolution_checks::range_of(args.x, s.images, s.image, s.channels);
            if (args.x.data != nullptr)
                memory.read(args.x.data + r.first, static_cast<std::size_t>(r.count) * sizeof(*args.x.data), "x");
            detail::add_matrix(memory, args.columns, s.output_pixels(), s.taps() * s.channels, 1, "columns");
        },
        [&] { return launch(device, config_for<Kernel>(args, "im2col"), kernel, args); });
}

} // namespace tegula
