#pragma once

#include <tegula/core/config.hpp>

/// Functions of <tegula/host.hpp> that programs call after including a kernel's header alone. Each is refused with a
/// sentence; with the header included, and arguments that fit, overload resolution takes the real one.

namespace tegula {

namespace encoding_rules {
template <bool Ok>
struct host_header_and_arguments
{
    static_assert(
        Ok, "tegula: what runs a kernel is in <tegula/host.hpp>; include it. If it is included: the call takes the "
            "kernel, the kernel's own arguments and, if need be, an emulator::launch_config");
};
} // namespace encoding_rules

template <class Kernel>
auto emulate_gemm(const Kernel&, ...)
{
    return sizeof(encoding_rules::host_header_and_arguments < sizeof(Kernel) == 0 >);
}
template <class Kernel>
auto emulate_attention(const Kernel&, ...)
{
    return sizeof(encoding_rules::host_header_and_arguments < sizeof(Kernel) == 0 >);
}

} // namespace tegula
