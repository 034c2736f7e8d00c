#include "kernels.hpp"

#include <tegula/reference/registry.hpp>

#include <algorithm>
#include <tuple>

namespace gemm_example {

using tegula::registered;

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

std::vector<kernel_entry> all_kernels()
{
    std::vector<kernel_entry> all = registered<kernel_entry>();
    const auto key = [](const kernel_entry& e) {
        return std::make_tuple(e.arch, e.type, e.device, -e.tile.block_m * e.tile.block_n, -e.tile.block_m);
    };
    std::sort(all.begin(), all.end(), [&](const kernel_entry& x, const kernel_entry& y) { return key(x) < key(y); });
    return all;
}

} // namespace gemm_example
