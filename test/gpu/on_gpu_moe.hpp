#pragma once

/// Mixtures of experts for GPUs as entries of the program's list.

#include "test/gpu/add_check.hpp"
#include "test/gpu/moe_checks.hpp"

namespace tegula::test {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

/// The kernels of a layer whose products have this tile.
template <class Tile>
bool add_moe(const char* name)
{
    using T = typename Tile::a_type;
    return add_check<compare_formula<typename Tile::target, moe_formula<T>>>(
        std::string(number_traits<T>::name()) + " mixture of experts " + name, [](std::uint64_t seed) {
            gpu_device device;
            return check_each(moe_cases(gpu_is_fast()), [&](const moe_sizes& sizes) {
                return check_moe<moe_kernels<Tile>>(device, sizes, seed);
            });
        });
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula::test
