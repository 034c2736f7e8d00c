#pragma once

#include <tegula/mma/wgmma.hpp>

/// The atom of a row of wgmma, which the table gives by its form and width.

namespace tegula::test {

inline constexpr int wgmma_form_count =
    static_cast<int>(sizeof(detail::instruction_rows::wgmma_forms) / sizeof(instruction));

constexpr bool has_wgmma_row(int form, int n)
{
    return detail::instruction_rows::has_wgmma_n(detail::instruction_rows::wgmma_forms[form], n);
}

template <element_kind Kind>
struct type_of;
// clang-format off
template <> struct type_of<element_kind::f16> { using type = half; };
template <> struct type_of<element_kind::bf16> { using type = bfloat16; };
template <> struct type_of<element_kind::tf32> { using type = tfloat32; };
template <> struct type_of<element_kind::f32> { using type = float; };
template <> struct type_of<element_kind::f8e4m3> { using type = float8_e4m3; };
template <> struct type_of<element_kind::f8e5m2> { using type = float8_e5m2; };
template <> struct type_of<element_kind::i8> { using type = std::int8_t; };
template <> struct type_of<element_kind::u8> { using type = std::uint8_t; };
template <> struct type_of<element_kind::i32> { using type = std::int32_t; };
// clang-format on

template <int Form, int N, operand_order Major = operand_order::k_contiguous>
struct wgmma_row_atom
{
    static constexpr instruction form = detail::instruction_rows::wgmma_forms[Form];
    using type = wgmma_atom<arch::sm_90a, typename type_of<form.a>::type, typename type_of<form.b>::type,
                            typename type_of<form.c>::type, N, Major, Major>;
};
template <int Form, int N, operand_order Major = operand_order::k_contiguous>
using wgmma_atom_of = typename wgmma_row_atom<Form, N, Major>::type;

} // namespace tegula::test
