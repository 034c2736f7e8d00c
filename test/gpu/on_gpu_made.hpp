#pragma once

/// Operands that a warpgroup makes for wgmma or tcgen05, and lists of products by tensor maps, for GPUs as entries of the program's
/// list.

#include "test/gpu/add_check.hpp"
#include "test/gpu/made_checks.hpp"

namespace tegula::test {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

template <class Tile>
std::string name_of_made(const char* name)
{
    return std::string(number_traits<typename Tile::a_type>::name()) + " " + name;
}

/// A quantized<...> for a warp_specialized_tile or a tcgen05_tile.
template <class Tile, class Weights>
bool add_persistent_weights(const char* name)
{
    using form = persistent_weights<Tile, Weights>;
    const std::string whole = name_of_made<Tile>(name);
    add_kernel<typename Tile::target, typename form::kernels>(whole);
    return add_check<typename Tile::target>(whole, [](std::uint64_t seed) {
        library_device device;
        return check_each(weight_cases<Tile>(gpu_is_fast()), [&](const gemm_case& what) {
            return check_form<form, quantized_weights_form>(device, what, seed);
        });
    });
}

/// A persistent_gathered_form or a persistent_made_form.
template <class Form>
bool add_persistent_prologue(const char* name)
{
    using tile = typename Form::tile;
    const std::string whole = name_of_made<tile>(name);
    add_kernel<typename tile::target, typename Form::kernels>(whole);
    return add_check<typename tile::target>(whole, [](std::uint64_t seed) {
        library_device device;
        return check_each(made_cases<Form>(gpu_is_fast()),
                          [&](const gemm_case& what) { return check_prologue<Form>(device, what, seed); });
    });
}

/// Lists of products of a warp_specialized_tile or a tcgen05_tile. C has the type of operands of 16 bits.
template <class Tile, operand_order A, operand_order B>
bool add_mapped_list(const char* name)
{
    using T = typename Tile::a_type;
    using kernel = listed_kernel<Tile, std::conditional_t<sizeof(T) == 2, T, result_of<T>>, A, B>;
    const std::string whole = name_of_made<Tile>(name);
    return add_check<typename Tile::target>(whole, [](std::uint64_t seed) {
        library_device device;
        return check_list<kernel, run_mapped_list<kernel>>(device, cases_of<Tile>(A, B, gpu_is_fast()), seed);
    });
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula::test
