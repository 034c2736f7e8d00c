#pragma once

#include <tegula/core/config.hpp>

namespace tegula {

/// Element types of matrix instructions. iu8 and iu4: the sign is chosen per operand by the instruction's modifiers.
enum class element_kind {
    none,
    f64,
    f32,
    tf32,
    xf32,
    f16,
    bf16,
    f8e4m3,
    f8e5m2,
    f8e4m3fnuz,
    f8e5m2fnuz,
    f6e2m3,
    f6e3m2,
    f4e2m1,
    i32,
    i16,
    i8,
    u8,
    iu8,
    i4,
    u4,
    iu4,
    b1,
};

/// One line of the list of element types.
struct element_kind_info
{
    element_kind kind;
    const char* name;   ///< as in the instruction table's records
    const char* family; ///< types that share every register layout
    int bits;           ///< bits of one element in a register; 32 for the reduced f32 types
};

namespace detail {
inline constexpr element_kind_info element_kinds[] = {
    {element_kind::none, "none", "none", 0},
    {element_kind::f64, "f64", "f64", 64},
    {element_kind::f32, "f32", "f32", 32},
    {element_kind::tf32, "tf32", "tf32", 32},
    {element_kind::xf32, "xf32", "tf32", 32},
    {element_kind::f16, "f16", "f16", 16},
    {element_kind::bf16, "bf16", "bf16", 16},
    {element_kind::f8e4m3, "f8e4m3", "f8", 8},
    {element_kind::f8e5m2, "f8e5m2", "f8", 8},
    {element_kind::f8e4m3fnuz, "f8e4m3fnuz", "f8", 8},
    {element_kind::f8e5m2fnuz, "f8e5m2fnuz", "f8", 8},
    {element_kind::f6e2m3, "f6e2m3", "f6", 6},
    {element_kind::f6e3m2, "f6e3m2", "f6", 6},
    {element_kind::f4e2m1, "f4e2m1", "f4", 4},
    {element_kind::i32, "i32", "i32", 32},
    {element_kind::i16, "i16", "i16", 16},
    {element_kind::i8, "i8", "i8", 8},
    {element_kind::u8, "u8", "i8", 8},
    {element_kind::iu8, "iu8", "i8", 8},
    {element_kind::i4, "i4", "i4", 4},
    {element_kind::u4, "u4", "i4", 4},
    {element_kind::iu4, "iu4", "i4", 4},
    {element_kind::b1, "b1", "b1", 1},
};
} // namespace detail

constexpr element_kind_info info(element_kind kind) { return detail::element_kinds[static_cast<int>(kind)]; }

} // namespace tegula
