#pragma once

#include <tegula/host/emulated_device.hpp>

#include <string>

namespace tegula::test {

/// The device that runs a target's kernels in tests: the strict emulator. device_of_cpu.hpp has the device for targets
/// whose kernels run as the CPU's own code.
template <class Target>
struct device_of_target
{
    using type = emulated_device;
};
template <class Target>
using device_of = typename device_of_target<Target>::type;

/// Whether tests know how many sectors a target's kernels move. For a CPU, whose tiles are smaller, they do not.
template <class Target>
inline constexpr bool counts_sectors = Target::wave_size > 1;

/// The emulator's report; a CPU has none.
template <class Device>
std::string report_of(const Device& device)
{
    if constexpr (requires { device.result.report; })
        return device.result.report;
    else
        return {};
}

} // namespace tegula::test
