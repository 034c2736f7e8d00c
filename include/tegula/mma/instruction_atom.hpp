#pragma once

#include <tegula/core/number_traits.hpp>
#include <tegula/core/static_for.hpp>
#include <tegula/layout/encoding.hpp>
#include <tegula/mma/device/issue.hpp>

namespace tegula {

namespace detail {

/// The type that holds an element of this kind in a lane: its number type, or a byte of several elements if they are
/// narrower.
template <element_kind Kind, bool Signed>
consteval auto storage_of_kind()
{
    using enum element_kind;
    if constexpr (Kind == f64)
        return double{};
    else if constexpr (Kind == f32)
        return float{};
    else if constexpr (Kind == tf32 || Kind == xf32)
        return tfloat32{};
    else if constexpr (Kind == f16)
        return half{};
    else if constexpr (Kind == bf16)
        return bfloat16{};
    else if constexpr (Kind == f8e4m3)
        return float8_e4m3{};
    else if constexpr (Kind == f8e5m2)
        return float8_e5m2{};
    else if constexpr (Kind == f8e4m3fnuz)
        return float8_e4m3_fnuz{};
    else if constexpr (Kind == f8e5m2fnuz)
        return float8_e5m2_fnuz{};
    else if constexpr (Kind == i32)
        return std::int32_t{};
    else if constexpr (Kind == i16)
        return std::int16_t{};
    else if constexpr (Kind == i8 || (Kind == iu8 && Signed))
        return std::int8_t{};
    else
        return std::uint8_t{};
}

/// The operand in units of its storage type: runs of elements narrower than a byte become runs of bytes, and lanes that
/// the instruction does not read hold copies.
constexpr encoding_value stored_operand(const instruction& i, operand which)
{
    encoding_value e = operand_encoding(i, which);
    if (const int bits = slot_bits(i, which); bits < 8) {
        const rh_digit run = e.ys.back();
        e.lengths(run.major)[run.minor] = e.length(run) * bits / 8;
    }
    if (const int lanes = static_cast<int>(p_length(e, 0)); lanes < i.wave) {
        const encoding_value::digits_type used = e.ps[0];
        e.ps[0] = {rh_digit{0, e.rs.size()}};
        e.rs.push_back(i.wave / lanes);
        for (rh_digit d : used)
            e.ps[0].push_back(d);
    }
    return e;
}

template <class Row, operand Which>
struct stored_source
{
    static constexpr encoding_value raw = stored_operand(Row::value, Which);
};

} // namespace detail

/// Any row of the table that multiplies in registers, as an atom: C += A B, with blocks for the independent products of
/// one instruction.
///
/// Row                 anything with a static constexpr instruction `value`, such as table_row<Index>
/// ASigned, BSigned    how iu8 and iu4 are read
/// a_type, ...         element types; std::uint8_t with several elements, the first in the low bits, if they are
///                     narrower than a byte
/// a_encoding, ...     A [m, k], B [k, n], C [m, n], with the block as first dimension if there are several; k in bytes
///                     if elements are narrower. One P, the lane.
///
/// Kernels use mma_atom: it is found by types and shape, and its emulation is faster. This atom is for the rows that
/// mma_atom leaves out.
template <class Row, bool ASigned = true, bool BSigned = true>
struct instruction_atom
{
    static_assert(kind_of(Row::value) == instruction_kind::mma, "tegula: the row does not multiply in registers");

    using row = Row;
    using a_type = decltype(detail::storage_of_kind<Row::value.a, ASigned>());
    using b_type = decltype(detail::storage_of_kind<Row::value.b, BSigned>());
    using c_type = decltype(detail::storage_of_kind<Row::value.c, true>());
    static constexpr int m = Row::value.m;
    static constexpr int n = Row::value.n;
    static constexpr int k = Row::value.k;
    static constexpr int blocks = Row::value.blocks;
    static constexpr int wave_size = Row::value.wave;
    static constexpr bool is_matrix_instruction = true;
    static constexpr bool keeps_k_order = false;
    static constexpr bool truncates_sums = false;
    static constexpr bool widens_operands = false;

    using a_encoding = encoding_from<detail::stored_source<Row, operand::a>>;
    using b_encoding = encoding_from<detail::stored_source<Row, operand::b>>;
    using c_encoding = encoding_from<detail::stored_source<Row, operand::c>>;
    static constexpr int a_count = static_cast<int>(registers_per_lane(a_encoding::raw));
    static constexpr int b_count = static_cast<int>(registers_per_lane(b_encoding::raw));
    static constexpr int c_count = static_cast<int>(registers_per_lane(c_encoding::raw));

    /// c += a b. All lanes of the wave take part.
    static TEGULA_INLINE void multiply(array<c_type, c_count>& c, const array<a_type, a_count>& a,
                                       const array<b_type, b_count>& b)
    {
        if constexpr (pattern.stride == 1) {
            issue_instruction<Row, ASigned, BSigned>(c, a, b);
        } else { // one half of each register
            array<c_type, c_count * pattern.stride> halves{};
            static_for<c_count>([&](auto i) { halves[i * pattern.stride + pattern.offset] = c[i]; });
            issue_instruction<Row, ASigned, BSigned>(halves, a, b);
            static_for<c_count>([&](auto i) { c[i] = halves[i * pattern.stride + pattern.offset]; });
        }
    }

private:
    static constexpr slot_pattern pattern = slots_of(Row::value, operand::c);
};

} // namespace tegula
