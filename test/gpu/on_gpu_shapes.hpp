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
    using gated = decltype(make_elementwise_arguments(gated_activation<Target>{}, tensor_argument<T>{},
                                                      tensor_argument<const T>{}, tensor_argument<const T>{},
                                                      tensor_argument<const T>{}));
    const std::string type = std::string(number_traits<T>::name()) + " ";
    add_kernels<Target, elementwise_kernels<Target>, gated>(type + "gated activation");
    add_kernels<Target, rotary_kernels<Target>, rotary_arguments<T>>(type + "rotary embedding");
    add_kernels<Target, permute_kernels<Target>, permute_arguments<T>>(type + "permute");
    add_kernels<Target, gather_kernels<Target, kernel_choice::all>, gather_arguments<T, std::int32_t>>(type + "gather");
    add_kernels<Target, pooling_kernels<Target>, pooling_arguments<T>>(type + "pooling");
    return add_check<Target>(type + "shapes", [](std::uint64_t seed) {
        library_device device;
        return check_each(shape_cases(gpu_is_fast()), [&](const shape_sizes& size) {
            return check_shapes<Target, T, kernel_choice::all>(device, size, seed);
        });
    });
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula::test
