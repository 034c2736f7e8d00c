#pragma once

#include <tegula/core/number_traits.hpp>
#include <tegula/mma/table/element_kind.hpp>

namespace tegula {

/// The table's element type for an element type of the library. iu8 stands for both signs, xf32 takes the same numbers
/// as tf32. Types that no atom takes give `none`.
template <class T>
constexpr element_kind kind_of_type()
{
    if constexpr (std::is_same_v<T, double>)
        return element_kind::f64;
    else if constexpr (std::is_same_v<T, float>)
        return element_kind::f32;
    else if constexpr (std::is_same_v<T, tfloat32>)
        return element_kind::tf32;
    else if constexpr (std::is_same_v<T, half>)
        return element_kind::f16;
    else if constexpr (std::is_same_v<T, bfloat16>)
        return element_kind::bf16;
    else if constexpr (std::is_same_v<T, float8_e4m3>)
        return element_kind::f8e4m3;
    else if constexpr (std::is_same_v<T, float8_e5m2>)
        return element_kind::f8e5m2;
    else if constexpr (std::is_same_v<T, float8_e4m3_fnuz>)
        return element_kind::f8e4m3fnuz;
    else if constexpr (std::is_same_v<T, float8_e5m2_fnuz>)
        return element_kind::f8e5m2fnuz;
    else if constexpr (std::is_same_v<T, std::int32_t>)
        return element_kind::i32;
    else if constexpr (std::is_same_v<T, std::int16_t>)
        return element_kind::i16;
    else if constexpr (std::is_same_v<T, std::int8_t>)
        return element_kind::i8;
    else if constexpr (std::is_same_v<T, std::uint8_t>)
        return element_kind::u8;
    else
        return element_kind::none;
}

/// Whether registers of kind `given` can be an operand of kind `wanted`.
constexpr bool is_operand_of(element_kind given, element_kind wanted)
{
    if (wanted == element_kind::iu8)
        return given == element_kind::i8 || given == element_kind::u8;
    if (wanted == element_kind::xf32)
        return given == element_kind::tf32;
    return given == wanted && given != element_kind::none;
}

} // namespace tegula
