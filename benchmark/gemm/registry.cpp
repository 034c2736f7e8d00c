#include "gpu.hpp"

namespace gemm_benchmark {

using tegula::registered;

bool add_runtime(gpu_runtime runtime)
{
    registered<gpu_runtime>().push_back(std::move(runtime));
    return true;
}

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
