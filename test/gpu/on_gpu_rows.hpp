#pragma once

/// Kernels on rows, reductions and scans for GPUs as entries of the program's list.

#include "test/gpu/add_check.hpp"
#include "test/gpu/row_checks.hpp"

namespace tegula::test {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

template <class Target, class T>
bool add_normalizations()
{
    return add_check<compare_formula<Target, softmax_formula<T, T>>>(
        std::string(number_traits<T>::name()) + " normalizations", [](std::uint64_t seed) {
            gpu_device device;
            return check_each(row_cases(gpu_is_fast()), [&](const row_sizes& size) {
                using tiles = row_tiles_for<Target, 16 / static_cast<int>(sizeof(T))>;
                return check_normalizations<Target, T, tiles>(device, size, seed);
            });
        });
}

template <class Target, class T>
bool add_reductions()
{
    return add_check<compare_formula<Target, largest_formula<T, float>>>(
        std::string(number_traits<T>::name()) + " reductions and scans", [](std::uint64_t seed) {
            gpu_device device;
            return check_each(row_cases(gpu_is_fast()),
                              [&](const row_sizes& size) { return check_reductions<Target, T>(device, size, seed); });
        });
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula::test
