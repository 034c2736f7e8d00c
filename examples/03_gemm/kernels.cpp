#include "kernels.hpp"

#include <algorithm>
#include <tuple>

namespace gemm_example {

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

std::string kernel_entry::shape() const
{
    return std::to_string(tile.block_m) + "x" + std::to_string(tile.block_n) + "x" + std::to_string(tile.block_k);
}

bool add_kernels(std::vector<kernel_entry> entries)
{
    kernels().insert(kernels().end(), entries.begin(), entries.end());
    return true;
}

bool add_runtime(gpu_runtime runtime)
{
    runtimes().push_back(std::move(runtime));
    return true;
}

std::vector<kernel_entry> all_kernels()
{
    std::vector<kernel_entry> all = kernels();
    const auto key = [](const kernel_entry& e) {
        return std::make_tuple(e.arch, e.type, e.device, -e.tile.block_m * e.tile.block_n, -e.tile.block_m);
    };
    std::sort(all.begin(), all.end(), [&](const kernel_entry& x, const kernel_entry& y) { return key(x) < key(y); });
    return all;
}

std::vector<gpu> all_gpus(std::string& why_none)
{
    std::vector<gpu> all;
    why_none = runtimes().empty() ? "the program was built without CUDA and without HIP" : "";
    for (const gpu_runtime& runtime : runtimes()) {
        std::string why;
        const std::vector<gpu> found = runtime.gpus(why);
        all.insert(all.end(), found.begin(), found.end());
        if (found.empty())
            why_none += (why_none.empty() ? "" : "; ") + runtime.name + ": " + why;
    }
    return all;
}

} // namespace gemm_example
