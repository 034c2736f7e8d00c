#include "gpu.hpp"

#include <tegula/reference/registry.hpp>

namespace gemm_benchmark {

using tegula::registered;

bool add_kernel(kernel_entry entry)
{
    for (const kernel_entry& e : registered<kernel_entry>())
        if (e.prepare == entry.prepare)
            return false;
    registered<kernel_entry>().push_back(std::move(entry));
    return true;
}

bool add_runtime(gpu_runtime runtime)
{
    registered<gpu_runtime>().push_back(std::move(runtime));
    return true;
}

const std::vector<kernel_entry>& all_kernels() { return registered<kernel_entry>(); }

std::unique_ptr<gpu> open_gpu(int number, std::string& why_not)
{
    why_not = registered<gpu_runtime>().empty() ? "the program was built without CUDA and without HIP" : "";
    for (const gpu_runtime& runtime : registered<gpu_runtime>()) {
        std::string why;
        if (std::unique_ptr<gpu> found = runtime.open(number, why))
            return found;
        why_not += (why_not.empty() ? "" : "; ") + runtime.name + ": " + why;
    }
    return nullptr;
}

} // namespace gemm_benchmark
