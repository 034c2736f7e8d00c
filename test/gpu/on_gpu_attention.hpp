#pragma once

/// Kernels of attention for GPUs as entries of the program's list.

#include "test/gpu/add_check.hpp"
#include "test/gpu/append_checks.hpp"
#include "test/gpu/attention_checks.hpp"
#include "test/gpu/attention_form_checks.hpp"
#include "test/gpu/attention_variants.hpp"

namespace tegula::test {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

/// An attention_kernel, an attention_split_kernel with its combine_splits, or a warp_specialized_attention.
template <class Kernel>
bool add_attention(const char* name)
{
    return add_check_of<Kernel>(
        std::string(number_traits<typename Kernel::element>::name()) + " " + name, [](std::uint64_t seed) {
            library_device device;
            return check_each(attention_cases<typename Kernel::tile>(gpu_is_fast()), [&](const attention_sizes& sizes) {
                return check_attention<Kernel>(device, sizes, seed);
            });
        });
}

/// An attention_kernel, or one by tensor copies, of one of attention_form_checks.hpp's variants.
template <class Kernel>
bool add_attention_form(const char* name)
{
    return add_check_of<Kernel>(
        std::string(number_traits<typename Kernel::element>::name()) + " " + name, [](std::uint64_t seed) {
            library_device device;
            return check_each(attention_cases<typename Kernel::tile>(gpu_is_fast()), [&](const attention_sizes& sizes) {
                return check_attention_form<Kernel>(device, sizes, seed);
            });
        });
}

/// Kernels of the backward pass behind the forward kernel by mma.sync or MFMA of the same tensors.
template <class Kernels>
bool add_gradients(const char* name)
{
    using T = typename Kernels::element;
    using variant = typename Kernels::variant;
    constexpr index_t columns = Kernels::tile::head_dim;
    using target = typename Kernels::target;
    using score = decltype(typename Kernels::problem{}.forward.score);
    using Forward =
        attention_kernel<attention_tile_for<target, T, columns, columns, variant, score>, T, variant, score>;
    const std::string whole = std::string(number_traits<T>::name()) + " " + name;
    add_kernel<target, Kernels>(whole);
    return add_check<target>(whole, [](std::uint64_t seed) {
        library_device device;
        return check_each(attention_cases<typename Forward::tile>(gpu_is_fast()), [&](const attention_sizes& sizes) {
            return check_gradients_form<Forward, Kernels>(device, sizes, seed);
        });
    });
}

/// An append_kernel: a row a sequence, as in decoding, and many.
template <class Kernel>
bool add_append(const char* name)
{
    return add_check_of<Kernel>(std::string(number_traits<typename Kernel::element>::name()) + " " + name,
                                [](std::uint64_t seed) {
                                    library_device device;
                                    std::string wrong = check_append<Kernel>(device, 1, seed);
                                    return wrong.empty() ? check_append<Kernel>(device, 201, seed) : wrong;
                                });
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula::test
