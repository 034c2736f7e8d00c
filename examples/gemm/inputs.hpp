#pragma once

// The element types that --type names on a target. Kernels are compiled with this file, so it has no host code.

#include "examples/common/float8.hpp"

#include <tegula/mma/choose.hpp>

namespace gemm_example {

template <class Target>
struct f16_inputs
{
    using type = tegula::half;
    using target = Target;
    static constexpr const char* name = "f16";
};
template <class Target>
struct bf16_inputs
{
    using type = tegula::bfloat16;
    using target = Target;
    static constexpr const char* name = "bf16";
};
/// By multiply-adds.
template <class Target>
struct f32_inputs
{
    using type = float;
    using target = Target;
    static constexpr const char* name = "f32";
};
/// A target without a matrix instruction for tf32 multiplies f32.
template <class Target>
struct tf32_inputs
{
    using type = std::conditional_t<tegula::has_matrix_instruction<Target, tegula::tfloat32>, tegula::tfloat32, float>;
    using target = Target;
    static constexpr const char* name = "tf32";
};
template <class Target>
struct int8_inputs
{
    using type = std::int8_t;
    using target = Target;
    static constexpr const char* name = "int8";
};
/// The flavour the target has; without one it has no conversion either.
template <class Target>
struct fp8_inputs
{
    using type = examples::float8_flavour<Target, tegula::float8_e4m3, tegula::float8_e4m3_fnuz>;
    static constexpr bool exists = tegula::has_matrix_instruction<Target, type>;
    using target = Target;
    static constexpr const char* name = "fp8_e4m3";
};

} // namespace gemm_example
