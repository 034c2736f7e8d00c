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
    return add_check<typename Form::kernels::element_wise>(
        std::string(number_traits<typename Form::T>::name()) + " " + name, [](std::uint64_t seed) {
            gpu_device device;
            return check_each(prologue_cases<typename Form::tile>(gpu_is_fast()),
                              [&](const gemm_case& what) { return check_prologue<Form>(device, what, seed); });
        });
}

/// The kernels of a layer whose products have this tile.
template <class Tile>
bool add_moe(const char* name)
{
    using T = typename Tile::a_type;
    return add_check<compare_formula<typename Tile::target, moe_formula<T>>>(
        std::string(number_traits<T>::name()) + " mixture of experts " + name, [](std::uint64_t seed) {
            gpu_device device;
            return check_each(moe_cases(gpu_is_fast()), [&](const moe_sizes& sizes) {
                // Tensor copies read rows of whole vectors.
                if (requires { Tile::making_threads; } && (sizes.width % 8 != 0 || sizes.hidden % 8 != 0))
                    return std::string();
                return check_moe<Tile>(device, sizes, seed);
            });
        });
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula::test
