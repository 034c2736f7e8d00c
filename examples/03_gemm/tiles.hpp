#pragma once

// What --type means on a target, and the table of kernels that a back end builds for it.

#include "kernels.hpp"

namespace gemm_example {

template <class T>
inline constexpr element element_of = element::f32;
template <>
inline constexpr element element_of<tegula::half> = element::f16;
template <>
inline constexpr element element_of<tegula::bfloat16> = element::bf16;
template <>
inline constexpr element element_of<tegula::tfloat32> = element::tf32;
template <>
inline constexpr element element_of<tegula::float8_e4m3> = element::fp8_e4m3;
template <>
inline constexpr element element_of<tegula::float8_e4m3_fnuz> = element::fp8_e4m3_fnuz;
template <>
inline constexpr element element_of<std::int8_t> = element::int8;

template <class Target>
struct f16_inputs
{
    using type = tegula::half;
    static constexpr const char* name = "f16";
};
template <class Target>
struct bf16_inputs
{
    using type = tegula::bfloat16;
    static constexpr const char* name = "bf16";
};
/// A target without a matrix instruction for tf32 multiplies f32.
template <class Target>
struct tf32_inputs
{
    using type = std::conditional_t<tegula::has_matrix_instruction<Target, tegula::tfloat32>, tegula::tfloat32, float>;
    static constexpr const char* name = "tf32";
};
template <class Target>
struct int8_inputs
{
    using type = std::int8_t;
    static constexpr const char* name = "int8";
};
/// The flavour the target has; without one it has no conversion either.
template <class Target>
struct fp8_inputs
{
    static constexpr bool fnuz = tegula::has_matrix_instruction<Target, tegula::float8_e4m3_fnuz>;
    static constexpr bool exists = fnuz || tegula::has_matrix_instruction<Target, tegula::float8_e4m3>;
    using type = std::conditional_t<fnuz, tegula::float8_e4m3_fnuz, tegula::float8_e4m3>;
    static constexpr const char* name = "fp8_e4m3";
};

/// The shipped tiles of Target for Inputs<Target>, as entries of the table; Run<Tile>::run runs a tile's kernels.
template <template <class> class Inputs, class Target, template <class> class Run, class... Tiles>
std::vector<kernel_entry> make_entries(device where, std::initializer_list<const char*> names)
{
    using inputs = Inputs<Target>;
    auto name = names.begin();
    return {kernel_entry{Target::chip().name, inputs::name, where, element_of<typename inputs::type>,
                         tegula::describe<Tiles>(*name++), &Run<Tiles>::run}...};
}

} // namespace gemm_example
