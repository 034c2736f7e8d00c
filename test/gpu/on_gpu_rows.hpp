#pragma once

/// Kernels on rows, their gradients, losses, reductions and scans for GPUs as entries of the program's list.

#include "test/gpu/add_check.hpp"
#include "test/gpu/row_gradient_checks.hpp"

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

template <class Target, class T>
using all_row_tiles = row_tiles_for<Target, 16 / static_cast<int>(sizeof(T))>;
/// Those of whole waves.
template <class Target, class T>
using few_row_tiles = few_row_tiles_for<Target, 16 / static_cast<int>(sizeof(T))>;

template <class Target, class T>
bool add_softmax_gradients()
{
    return add_check<compare_formula<Target, softmax_gradient<T, T>>>(
        std::string(number_traits<T>::name()) + " gradients of softmax", [](std::uint64_t seed) {
            gpu_device device;
            return check_each(row_cases(gpu_is_fast()), [&](const row_sizes& size) {
                return check_softmax_gradients<Target, T, all_row_tiles<Target, T>>(device, size, seed);
            });
        });
}

template <class Target, class T, norm_kind Kind>
bool add_norm_gradients()
{
    return add_check<compare_formula<Target, norm_gradient<T, T>>>(
        std::string(number_traits<T>::name()) + " gradients of " + (Kind == norm_kind::layer ? "layernorm" : "rmsnorm"),
        [](std::uint64_t seed) {
            gpu_device device;
            return check_each(row_cases(gpu_is_fast()), [&](const row_sizes& size) {
                return check_norm_gradients<Target, T, Kind, all_row_tiles<Target, T>, few_row_tiles<Target, T>>(
                    device, size, seed);
            });
        });
}

/// Cross-entropy, and the largest elements of rows.
template <class Target, class T>
bool add_losses()
{
    return add_check<compare_formula<Target, cross_entropy_formula<T>>>(
        std::string(number_traits<T>::name()) + " losses and largest elements", [](std::uint64_t seed) {
            gpu_device device;
            return check_each(row_cases(gpu_is_fast()), [&](const row_sizes& size) {
                return check_losses<Target, T, all_row_tiles<Target, T>, few_row_tiles<Target, T>>(device, size, seed);
            });
        });
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula::test
