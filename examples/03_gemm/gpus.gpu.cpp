// The GPUs of this machine. One target a compiler is enough: there is no kernel here.
// targets: sm_80 gfx942

#include "kernels.hpp"

#include <tegula/host/gpu_runtime.hpp>

namespace gemm_example {

namespace {

#if defined(__HIP__)
using properties = hipDeviceProp_t;
constexpr const char* runtime_name = "HIP";

/// gcnArchName is the architecture and its features: "gfx942:sramecc+:xnack-".
std::string arch_of(const properties& p)
{
    const std::string name = p.gcnArchName;
    return name.substr(0, name.find(':'));
}
#else
using properties = cudaDeviceProp;
constexpr const char* runtime_name = "CUDA";

/// Code for sm_80 runs on every 8.x, code for sm_90a on 9.0 alone.
std::string arch_of(const properties& p)
{
    if (p.major == 8)
        return "sm_80";
    return p.major == 9 ? "sm_90a" : "sm_" + std::to_string(10 * p.major + p.minor);
}
#endif

std::vector<gpu> find_gpus(std::string& why_none)
{
    int count = 0;
    const auto error = TEGULA_RUNTIME(GetDeviceCount)(&count);
    std::vector<gpu> found;
    for (int i = 0; error == TEGULA_RUNTIME(Success) && i < count; ++i) {
        properties p;
        if (TEGULA_RUNTIME(GetDeviceProperties)(&p, i) == TEGULA_RUNTIME(Success))
            found.push_back({i, arch_of(p), p.name});
    }
    if (found.empty())
        why_none = error == TEGULA_RUNTIME(Success) ? "no device" : TEGULA_RUNTIME(GetErrorString)(error);
    return found;
}

const bool added = add_runtime({runtime_name, find_gpus});

} // namespace

} // namespace gemm_example
