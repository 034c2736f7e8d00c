#include "kernels.hpp"

#include <algorithm>
#include <cmath>
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

double cost(const kernel_entry& e, const problem& p, int units)
{
    constexpr double load_weight = 32;
    const auto tiles = [](long_index_t size, int block) {
        return static_cast<double>(size / block + (size % block != 0 ? 1 : 0));
    };
    const double blocks = tiles(p.m, e.block_m) * tiles(p.n, e.block_n) * static_cast<double>(p.batch);
    const double rounds = std::max(1.0, std::ceil(blocks / units));
    return rounds * (static_cast<double>(e.block_m) * e.block_n + load_weight * (e.block_m + e.block_n));
}

} // namespace

std::string kernel_entry::shape() const
{
    return std::to_string(block_m) + "x" + std::to_string(block_n) + "x" + std::to_string(block_k);
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
    std::stable_sort(all.begin(), all.end(), [](const kernel_entry& x, const kernel_entry& y) {
        return std::tie(x.arch, x.type, x.device) < std::tie(y.arch, y.type, y.device);
    });
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

const kernel_entry& choose_tile(std::span<const kernel_entry> candidates, const problem& p, int units)
{
    return *std::min_element(candidates.begin(), candidates.end(), [&](const kernel_entry& x, const kernel_entry& y) {
        return cost(x, p, units) < cost(y, p, units);
    });
}

} // namespace gemm_example
