#include "kernels.hpp"

#include <tegula/host/registry.hpp>

#include <algorithm>
#include <tuple>
#include <unistd.h>

namespace gemm_example {

using tegula::registered;

double memory_of_machine()
{
    return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

std::string kernel_entry::shape() const
{
    return std::to_string(tile.block_m) + "x" + std::to_string(tile.block_n) + "x" + std::to_string(tile.block_k);
}

bool add_kernels(std::vector<kernel_entry> entries)
{
    auto& all = registered<kernel_entry>();
    all.insert(all.end(), entries.begin(), entries.end());
    return true;
}

bool add_runtime(gpu_runtime runtime)
{
    registered<gpu_runtime>().push_back(std::move(runtime));
    return true;
}

std::vector<kernel_entry> all_kernels()
{
    std::vector<kernel_entry> all = registered<kernel_entry>();
    const auto key = [](const kernel_entry& e) {
        return std::make_tuple(e.arch, e.type, e.device, -e.tile.block_m * e.tile.block_n, -e.tile.block_m);
    };
    std::sort(all.begin(), all.end(), [&](const kernel_entry& x, const kernel_entry& y) { return key(x) < key(y); });
    return all;
}

std::vector<gpu> all_gpus(std::string& why_none)
{
    std::vector<gpu> all;
    why_none = registered<gpu_runtime>().empty() ? "the program was built without CUDA and without HIP" : "";
    for (const gpu_runtime& runtime : registered<gpu_runtime>()) {
        std::string why;
        const std::vector<gpu> found = runtime.gpus(why);
        all.insert(all.end(), found.begin(), found.end());
        if (found.empty())
            why_none += (why_none.empty() ? "" : "; ") + runtime.name + ": " + why;
    }
    return all;
}

} // namespace gemm_example
