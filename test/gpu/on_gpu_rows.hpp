#pragma once

/// Kernels on rows, their gradients, losses, reductions and scans for GPUs as entries of the program's list.

#include "test/gpu/add_check.hpp"
#include "test/gpu/row_gradient_checks.hpp"

namespace tegula::test {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

template <class Target, class T>
using all_row_tiles = row_tiles_for<Target, 16 / static_cast<int>(sizeof(T))>;
/// Those of whole waves.
template <class Target, class T>
using few_row_tiles = few_row_tiles_for<Target, 16 / static_cast<int>(sizeof(T))>;

template <class Target, class T>
bool add_normalizations()
{
    using tiles = all_row_tiles<Target, T>;
    using of_sum = norm_arguments<T, std::int8_t>;
    const std::string type = std::string(number_traits<T>::name()) + " ";
    add_kernels<Target, softmax_kernels<tiles>, softmax_arguments<T>>(type + "softmax");
    add_kernels<Target, softmax_kernels<tiles, softmax_form::log_softmax>, softmax_arguments<T>>(type + "log_softmax");
    add_kernels<Target, norm_kernels<tiles, norm_kind::layer>, norm_arguments<T>>(type + "layernorm");
    add_kernels<Target, norm_kernels<tiles, norm_kind::rms>, norm_arguments<T>>(type + "rmsnorm");
    add_kernels<Target, norm_kernels<tiles, norm_kind::layer>, of_sum>(type + "layernorm to int8");
    return add_check<Target>(type + "normalizations", [](std::uint64_t seed) {
        library_device device;
        return check_each(row_cases(gpu_is_fast()), [&](const row_sizes& size) {
            return check_normalizations<Target, T, all_row_tiles<Target, T>>(device, size, seed);
        });
    });
}

template <class Target, class T>
bool add_reductions()
{
    const std::string type = std::string(number_traits<T>::name()) + " ";
    using sum = reduction_arguments<fold_reducer<T, plus>, float>;
    using most = reduction_arguments<fold_reducer<T, maximum>, float>;
    using place = reduction_arguments<arg_reducer<T>, long_index_t>;
    add_kernels<Target, reduction_kernels<Target>, sum>(type + "sums");
    add_kernels<Target, reduction_kernels<Target>, most>(type + "largest elements of dimensions");
    add_kernels<Target, reduction_kernels<Target>, place>(type + "places of largest elements");
    add_kernels<Target, scan_kernels<Target>, scan_arguments<T, plus, float>>(type + "cumulative sums");
    return add_check<Target>(type + "reductions and scans", [](std::uint64_t seed) {
        library_device device;
        return check_each(row_cases(gpu_is_fast()),
                          [&](const row_sizes& size) { return check_reductions<Target, T>(device, size, seed); });
    });
}

template <class Target, class T>
bool add_softmax_gradients()
{
    using tiles = all_row_tiles<Target, T>;
    using arguments = softmax_backward_arguments<T>;
    using of_log = softmax_backward_kernels<tiles, softmax_form::log_softmax>;
    const std::string type = std::string(number_traits<T>::name()) + " ";
    add_kernels<Target, softmax_backward_kernels<tiles>, arguments>(type + "gradients of softmax");
    add_kernels<Target, of_log, arguments>(type + "gradients of log_softmax");
    return add_check<Target>(type + "gradients of softmax", [](std::uint64_t seed) {
        library_device device;
        return check_each(row_cases(gpu_is_fast()), [&](const row_sizes& size) {
            return check_softmax_gradients<Target, T, all_row_tiles<Target, T>>(device, size, seed);
        });
    });
}

template <class Target, class T, norm_kind Kind>
bool add_norm_gradients()
{
    using kernels = norm_backward_kernels<all_row_tiles<Target, T>, strip_tile_for<Target>, Kind>;
    using forward = norm_kernels<few_row_tiles<Target, T>, Kind>;
    const std::string type = std::string(number_traits<T>::name()) + " ";
    const std::string norm = Kind == norm_kind::layer ? "layernorm" : "rmsnorm";
    add_kernels<Target, kernels, norm_backward_arguments<T>>(type + "gradients of " + norm);
    add_kernels<Target, forward, norm_arguments<T>>(type + norm + " by whole waves");
    return add_check<Target>(type + "gradients of " + norm, [](std::uint64_t seed) {
        library_device device;
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
    using tiles = all_row_tiles<Target, T>;
    using routes = topk_softmax_kernels<few_row_tiles<Target, T>>;
    const std::string type = std::string(number_traits<T>::name()) + " ";
    add_kernels<Target, cross_entropy_kernels<tiles>, cross_entropy_arguments<T>>(type + "cross-entropy");
    add_kernels<Target, cross_entropy_backward_kernels<tiles>, cross_entropy_arguments<T>>(
        type + "gradients of cross-entropy");
    add_kernels<Target, topk_kernels<Target>, topk_arguments<T>>(type + "largest elements of rows");
    add_kernels<Target, routes, topk_softmax_arguments<T>>(type + "softmax of largest elements");
    return add_check<Target>(type + "losses and largest elements", [](std::uint64_t seed) {
        library_device device;
        return check_each(row_cases(gpu_is_fast()), [&](const row_sizes& size) {
            return check_losses<Target, T, all_row_tiles<Target, T>, few_row_tiles<Target, T>>(device, size, seed);
        });
    });
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula::test
