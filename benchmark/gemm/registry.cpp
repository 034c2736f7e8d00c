#include "gpu.hpp"

namespace gemm_benchmark {

namespace {

// Functions, so that they are there when the first back end adds to them.
std::vector<kernel_entry>& kernels()
{
    static std::vector<kernel_entry> all;
    return all;
}

std::vector<gpu_runtime>& runtimes()
{
    static std::vector<gpu_runtime> all;
    return all;
}

} // namespace

bool add_kernel(kernel_entry entry)
{
    for (const kernel_entry& e : kernels())
        if (e.prepare == entry.prepare)
            return false;
    kernels().push_back(std::move(entry));
    return true;
}

bool add_runtime(gpu_runtime runtime)
{
    runtimes().push_back(std::move(runtime));
    return true;
}

const std::vector<kernel_entry>& all_kernels() { return kernels(); }

std::unique_ptr<gpu> open_gpu(int number, std::string& why_not)
{
    why_not = runtimes().empty() ? "the program was built without CUDA and without HIP" : "";
    for (const gpu_runtime& runtime : runtimes()) {
        std::string why;
        if (std::unique_ptr<gpu> found = runtime.open(number, why))
            return found;
        why_not += (why_not.empty() ? "" : "; ") + runtime.name + ": " + why;
    }
    return nullptr;
}

} // namespace gemm_benchmark
