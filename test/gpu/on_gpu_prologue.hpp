#pragma once

/// Products with a prologue for GPUs as entries of the program's list: mixtures of experts too.

#include "test/gpu/add_check.hpp"
#include "test/gpu/moe_checks.hpp"
#include "test/gpu/prologue_checks.hpp"

namespace tegula::test {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

/// A gathered_form or a made_form.
template <class Form>
bool add_prologue(const char* name)
{
    using target = typename Form::tile::target;
    const std::string whole = std::string(number_traits<typename Form::T>::name()) + " " + name;
    add_kernel<target, typename Form::kernels>(whole);
    return add_check<target>(whole, [](std::uint64_t seed) {
        library_device device;
        return check_each(prologue_cases<typename Form::tile>(gpu_is_fast()),
                          [&](const gemm_case& what) { return check_prologue<Form>(device, what, seed); });
    });
}

/// The kernels of a layer whose products have this tile, and whose result is of type Out. Gated: experts have a w1_up.
template <class Tile, class Out, bool Gated = false>
bool add_moe(const char* name)
{
    using T = typename Tile::a_type;
    using target = typename Tile::target;
    const std::string whole = std::string(number_traits<T>::name()) + " mixture of experts " + name;
    add_kernels<target, moe_kernels<Tile, Gated>, moe_arguments<T, Out>>(whole);
    return add_check<target>(whole, [](std::uint64_t seed) {
        library_device device;
        return check_each(moe_cases(gpu_is_fast()), [&](const moe_sizes& sizes) {
            // Tensor copies read rows of whole vectors.
            if (requires { Tile::making_threads; } && (sizes.width % 8 != 0 || sizes.hidden % 8 != 0))
                return std::string();
            return check_moe<Tile, Out, Gated>(device, sizes, seed);
        });
    });
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula::test
