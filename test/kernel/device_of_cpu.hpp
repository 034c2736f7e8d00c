#pragma once

#include <tegula/host/cpu_device.hpp>

#include "test/catch.hpp"
#include "test/kernel/device_of.hpp"

namespace tegula::test {

template <class Target>
    requires is_native_cpu<Target>
struct device_of_target<Target>
{
    using type = cpu_device;
};

/// Whether the machine runs it; where it does not, the test says so.
inline bool has(x86::feature_set needed, const char* what)
{
    const status s = x86::check_features(needed, x86::host_features(), what);
    if (!s)
        WARN("not run: " << s.message());
    return s.ok();
}
template <class Target>
bool has_target()
{
    return has(needed_features<Target>(), Target::chip().name);
}

} // namespace tegula::test
