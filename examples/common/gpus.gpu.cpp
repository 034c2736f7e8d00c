// The GPUs of this machine that one runtime finds. One target a compiler is enough: there is no kernel here.

#include "gpus.hpp"

#include <tegula/host/gpu_runtime.hpp>

namespace examples {

namespace {

std::vector<gpu> find_gpus(std::string& why_none)
{
    int count = 0;
    const auto error = TEGULA_RUNTIME(GetDeviceCount)(&count);
    std::vector<gpu> found;
    for (int i = 0; error == TEGULA_RUNTIME(Success) && i < count; ++i) {
        tegula::device_properties p;
        if (TEGULA_RUNTIME(GetDeviceProperties)(&p, i) == TEGULA_RUNTIME(Success))
            found.push_back({i, tegula::arch_name(p), p.name});
    }
    if (found.empty())
        why_none = error == TEGULA_RUNTIME(Success) ? "no device" : TEGULA_RUNTIME(GetErrorString)(error);
    return found;
}

const bool added = add_runtime({tegula::runtime_name, find_gpus});

} // namespace

} // namespace examples
