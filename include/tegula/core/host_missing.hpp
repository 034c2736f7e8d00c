#pragma once

#include <tegula/core/config.hpp>

/// Placeholders for emulate() and emulated_device, for programs that include a kernel's header without
/// <tegula/host.hpp>. A call does not compile, and the message names that header. If it is included and the arguments
/// fit, the specialisation or the better overload is used.

namespace tegula {

namespace encoding_rules {
template <bool Ok>
struct host_header_and_arguments
{
    static_assert(
        Ok, "tegula: what runs a kernel is in <tegula/host.hpp>; include it. If it is included: the call takes the "
            "kernel, the kernel's own arguments and, if need be, an emulator::run_config");
};
} // namespace encoding_rules

/// The emulator as a device: emulated_device_of<> is in <tegula/host/emulated_device.hpp>.
template <class Unused = void>
struct emulated_device_of : encoding_rules::host_header_and_arguments<sizeof(Unused*) == 0>
{};
using emulated_device = emulated_device_of<>;

template <class Kernel>
auto emulate(const Kernel&, ...)
{
    return sizeof(encoding_rules::host_header_and_arguments < sizeof(Kernel) == 0 >);
}

} // namespace tegula
