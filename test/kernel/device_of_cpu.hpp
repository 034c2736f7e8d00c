#pragma once

#include <tegula/host/cpu_device.hpp>

#include "test/kernel/device_of.hpp"

namespace tegula::test {

template <class Target>
    requires is_native_cpu<Target>
struct device_of_target<Target>
{
    using type = cpu_device;
};

inline std::string report_of(const cpu_device&) { return {}; }

} // namespace tegula::test
