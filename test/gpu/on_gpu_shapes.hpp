#pragma once

/// Kernels of elementwise operations and of moves for GPUs as entries of the program's list.

#include "test/gpu/add_check.hpp"
#include "test/gpu/shape_checks.hpp"

namespace tegula::test {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

template <class Target, class T>
bool add_shapes()
{
    return add_check<compare_formula<Target, permuted_formula<T>>>(
        std::string(number_traits<T>::name()) + " shapes", [](std::uint64_t seed) {
            gpu_device device;
            return check_each(shape_cases(gpu_is_fast()), [&](const shape_sizes& size) {
                return check_shapes<Target, T, kernel_choice::all>(device, size, seed);
            });
        });
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula::test
