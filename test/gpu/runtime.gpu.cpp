/// The GPU of this machine. One target a compiler is enough: what is asked is the runtime.

#include <tegula/host/gpu_runtime.hpp>
#include <tegula/reference/registry.hpp>

#include "test/gpu/kernel_check.hpp"

namespace tegula::test {
namespace {

std::string gpu_of_machine(std::string& why_none)
{
    int number = 0;
    device_properties properties;
    const status s = find_current_gpu(number, properties);
    if (!s)
        why_none = s.message();
    return s ? device_architecture(properties) : "";
}

const bool added = (registered<runtime_check>().push_back({runtime_name, gpu_of_machine}), true);

} // namespace
} // namespace tegula::test
