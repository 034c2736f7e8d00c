#pragma once

#include <tegula/core/array.hpp>
#include <tegula/mma/table/instruction.hpp>

/// The compiler builtins behind the AMD rows. Device code only.

#if defined(__HIP_DEVICE_COMPILE__)

namespace tegula::detail {

template <class T, int N>
struct vector_register
{
    using type = T __attribute__((ext_vector_type(N)));
};
template <class T>
struct vector_register<T, 1>
{
    using type = T;
};

/// The registers as the vector a builtin takes: as many values of T as they hold.
template <class T, class Registers>
TEGULA_INLINE auto as_vector(const Registers& registers)
{
    return __builtin_bit_cast(typename vector_register<T, sizeof(Registers) / sizeof(T)>::type, registers);
}

/// An operand as its builtins take it. Floats of 16 bits and more are vectors of their type. bf16 are vectors of short
/// or, with eight or more elements (since gfx950), of __bf16. Other types are words; MFMA takes two of them as one word
/// of 64 bits.
template <instruction_family Family, element_kind Kind, class Registers>
TEGULA_INLINE auto operand_vector(const Registers& registers)
{
    using enum element_kind;
    if constexpr (Kind == f16)
        return as_vector<_Float16>(registers);
    else if constexpr (Kind == bf16 && (Family == instruction_family::wmma_gfx1250 ||
                                        (Family == instruction_family::mfma && sizeof(Registers) == 16)))
        return as_vector<__bf16>(registers);
    else if constexpr (Kind == bf16)
        return as_vector<short>(registers);
    else if constexpr (Kind == f32 || Kind == xf32)
        return as_vector<float>(registers);
    else if constexpr (Kind == f64)
        return as_vector<double>(registers);
    else if constexpr (Kind != i32 && Family == instruction_family::mfma && sizeof(Registers) == 8)
        return as_vector<long>(registers);
    else
        return as_vector<int>(registers);
}

/// The properties that tell the rows of one family apart.
struct builtin_key
{
    element_kind a, b, c;
    int m, k, blocks;
    friend constexpr bool operator==(builtin_key, builtin_key) = default;
};

constexpr builtin_key key_of(const instruction& i) { return {i.a, i.b, i.c, i.m, i.k, i.blocks}; }

#define TEGULA_MFMA(a_kind, b_kind, c_kind, m, k, blocks, builtin)                                                     \
    if constexpr (key == builtin_key{a_kind, b_kind, c_kind, m, k, blocks})                                            \
        return __builtin_amdgcn_mfma_##builtin(a, b, c, 0, 0, 0);                                                      \
    else

/// a b + c by MFMA. If an instruction has two spellings, the builtins have the older one.
template <class Row, class A, class B, class C>
TEGULA_INLINE C mfma(A a, B b, C c)
{
    using enum element_kind;
    constexpr builtin_key key = key_of(Row::value);
#if defined(__gfx950__)
    constexpr auto e4 = f8e4m3, e5 = f8e5m2;
#else
    constexpr auto e4 = f8e4m3fnuz, e5 = f8e5m2fnuz;
#endif
    // clang-format off
    TEGULA_MFMA(f32,  f32,  f32, 32, 2,  1,  f32_32x32x2f32)
    TEGULA_MFMA(f32,  f32,  f32, 32, 1,  2,  f32_32x32x1f32)
    TEGULA_MFMA(f32,  f32,  f32, 16, 4,  1,  f32_16x16x4f32)
    TEGULA_MFMA(f32,  f32,  f32, 16, 1,  4,  f32_16x16x1f32)
    TEGULA_MFMA(f32,  f32,  f32, 4,  1,  16, f32_4x4x1f32)
    TEGULA_MFMA(f16,  f16,  f32, 32, 8,  1,  f32_32x32x8f16)
    TEGULA_MFMA(f16,  f16,  f32, 32, 4,  2,  f32_32x32x4f16)
    TEGULA_MFMA(f16,  f16,  f32, 16, 16, 1,  f32_16x16x16f16)
    TEGULA_MFMA(f16,  f16,  f32, 16, 4,  4,  f32_16x16x4f16)
    TEGULA_MFMA(f16,  f16,  f32, 4,  4,  16, f32_4x4x4f16)
    TEGULA_MFMA(bf16, bf16, f32, 32, 4,  1,  f32_32x32x4bf16)
    TEGULA_MFMA(bf16, bf16, f32, 32, 2,  2,  f32_32x32x2bf16)
    TEGULA_MFMA(bf16, bf16, f32, 16, 8,  1,  f32_16x16x8bf16)
    TEGULA_MFMA(bf16, bf16, f32, 16, 2,  4,  f32_16x16x2bf16)
    TEGULA_MFMA(bf16, bf16, f32, 4,  2,  16, f32_4x4x2bf16)
    TEGULA_MFMA(bf16, bf16, f32, 32, 8,  1,  f32_32x32x8bf16_1k)
    TEGULA_MFMA(bf16, bf16, f32, 32, 4,  2,  f32_32x32x4bf16_1k)
    TEGULA_MFMA(bf16, bf16, f32, 16, 16, 1,  f32_16x16x16bf16_1k)
    TEGULA_MFMA(bf16, bf16, f32, 16, 4,  4,  f32_16x16x4bf16_1k)
    TEGULA_MFMA(bf16, bf16, f32, 4,  4,  16, f32_4x4x4bf16_1k)
    TEGULA_MFMA(i8,   i8,   i32, 32, 8,  1,  i32_32x32x8i8)
    TEGULA_MFMA(i8,   i8,   i32, 32, 4,  2,  i32_32x32x4i8)
    TEGULA_MFMA(i8,   i8,   i32, 16, 16, 1,  i32_16x16x16i8)
    TEGULA_MFMA(i8,   i8,   i32, 16, 4,  4,  i32_16x16x4i8)
    TEGULA_MFMA(i8,   i8,   i32, 4,  4,  16, i32_4x4x4i8)
    TEGULA_MFMA(i8,   i8,   i32, 32, 16, 1,  i32_32x32x16_i8)
    TEGULA_MFMA(i8,   i8,   i32, 16, 32, 1,  i32_16x16x32_i8)
    TEGULA_MFMA(f64,  f64,  f64, 16, 4,  1,  f64_16x16x4f64)
    TEGULA_MFMA(f64,  f64,  f64, 4,  4,  4,  f64_4x4x4f64)
    TEGULA_MFMA(xf32, xf32, f32, 32, 4,  1,  f32_32x32x4_xf32)
    TEGULA_MFMA(xf32, xf32, f32, 16, 8,  1,  f32_16x16x8_xf32)
    TEGULA_MFMA(e4,   e4,   f32, 32, 16, 1,  f32_32x32x16_fp8_fp8)
    TEGULA_MFMA(e4,   e5,   f32, 32, 16, 1,  f32_32x32x16_fp8_bf8)
    TEGULA_MFMA(e5,   e4,   f32, 32, 16, 1,  f32_32x32x16_bf8_fp8)
    TEGULA_MFMA(e5,   e5,   f32, 32, 16, 1,  f32_32x32x16_bf8_bf8)
    TEGULA_MFMA(e4,   e4,   f32, 16, 32, 1,  f32_16x16x32_fp8_fp8)
    TEGULA_MFMA(e4,   e5,   f32, 16, 32, 1,  f32_16x16x32_fp8_bf8)
    TEGULA_MFMA(e5,   e4,   f32, 16, 32, 1,  f32_16x16x32_bf8_fp8)
    TEGULA_MFMA(e5,   e5,   f32, 16, 32, 1,  f32_16x16x32_bf8_bf8)
#if defined(__gfx950__)
    TEGULA_MFMA(f16,  f16,  f32, 32, 16, 1,  f32_32x32x16_f16)
    TEGULA_MFMA(f16,  f16,  f32, 16, 32, 1,  f32_16x16x32_f16)
    TEGULA_MFMA(bf16, bf16, f32, 32, 16, 1,  f32_32x32x16_bf16)
    TEGULA_MFMA(bf16, bf16, f32, 16, 32, 1,  f32_16x16x32_bf16)
    TEGULA_MFMA(i8,   i8,   i32, 32, 32, 1,  i32_32x32x32_i8)
    TEGULA_MFMA(i8,   i8,   i32, 16, 64, 1,  i32_16x16x64_i8)
#endif
    // clang-format on
    static_assert(sizeof(Row) == 0, "tegula: no builtin is known for this MFMA instruction");
}

#undef TEGULA_MFMA

/// The registers as the number of words that f8f6f4's builtin takes for every format; the compiler narrows them again.
template <int Words, class Registers>
TEGULA_INLINE auto as_words(const Registers& registers)
{
    array<std::uint32_t, Words> words{};
    __builtin_memcpy(&words, &registers, sizeof(registers));
    return as_vector<int>(words);
}

/// The value of the modifiers cbsz (A) and blgp (B) for an operand of f8f6f4; on gfx1250, of matrix_a_fmt and
/// matrix_b_fmt.
constexpr int f8f6f4_format(element_kind kind)
{
    using enum element_kind;
    return kind == f8e4m3 ? 0 : kind == f8e5m2 ? 1 : kind == f6e2m3 ? 2 : kind == f6e3m2 ? 3 : 4;
}

/// a b + c by the f8f6f4 instruction of the row with block scales: bytes ByteA and ByteB of two words of every lane. If
/// both words are the literal 0, the compiler emits the instruction without scales.
template <class Row, int ByteA = 0, int ByteB = 0, class C, class A, class B>
TEGULA_INLINE C mfma_f8f6f4(const A& a, const B& b, C c, int scale_a = 0, int scale_b = 0)
{
#if defined(__gfx950__)
    constexpr int format_a = f8f6f4_format(Row::value.a), format_b = f8f6f4_format(Row::value.b);
    const auto left = as_words<8>(a), right = as_words<8>(b);
    if constexpr (Row::value.m == 32)
        return __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(left, right, c, format_a, format_b, ByteA, scale_a,
                                                               ByteB, scale_b);
    else
        return __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(left, right, c, format_a, format_b, ByteA, scale_a,
                                                                ByteB, scale_b);
#else
    return c;
#endif
}

/// The builtins of both wave sizes, called with the same arguments.
#define TEGULA_WMMA(a_kind, b_kind, c_kind, k, builtin, target, ...)                                                   \
    if constexpr (key == builtin_key{a_kind, b_kind, c_kind, 16, k, 1} && Row::value.wave == 32)                       \
        return __builtin_amdgcn_wmma_##builtin##_w32##target(__VA_ARGS__);                                             \
    else if constexpr (key == builtin_key{a_kind, b_kind, c_kind, 16, k, 1})                                           \
        return __builtin_amdgcn_wmma_##builtin##_w64##target(__VA_ARGS__);                                             \
    else

/// a b + c by WMMA of gfx11. 16-bit results go to one half of each register; "tied" keeps the other half of c.
template <class Row, bool ASigned, bool BSigned, class A, class B, class C>
TEGULA_INLINE C wmma_gfx11(A a, B b, C c)
{
    using enum element_kind;
    constexpr builtin_key key = key_of(Row::value);
    constexpr bool high = Row::value.variant == instruction_variant::opsel_hi;
    // clang-format off
    TEGULA_WMMA(f16,  f16,  f32,  16, f32_16x16x16_f16,        , a, b, c)
    TEGULA_WMMA(bf16, bf16, f32,  16, f32_16x16x16_bf16,       , a, b, c)
    TEGULA_WMMA(f16,  f16,  f16,  16, f16_16x16x16_f16_tied,   , a, b, c, high)
    TEGULA_WMMA(bf16, bf16, bf16, 16, bf16_16x16x16_bf16_tied, , a, b, c, high)
    TEGULA_WMMA(iu8,  iu8,  i32,  16, i32_16x16x16_iu8,        , ASigned, a, BSigned, b, c, false)
    TEGULA_WMMA(iu4,  iu4,  i32,  16, i32_16x16x16_iu4,        , ASigned, a, BSigned, b, c, false)
    // clang-format on
    static_assert(sizeof(Row) == 0, "tegula: no builtin is known for this WMMA instruction");
}

/// a b + c by WMMA of gfx12.
template <class Row, bool ASigned, bool BSigned, class A, class B, class C>
TEGULA_INLINE C wmma_gfx12(A a, B b, C c)
{
    using enum element_kind;
    constexpr builtin_key key = key_of(Row::value);
    constexpr auto e4 = f8e4m3, e5 = f8e5m2;
    // clang-format off
    TEGULA_WMMA(f16,  f16,  f32,  16, f32_16x16x16_f16,     _gfx12, a, b, c)
    TEGULA_WMMA(bf16, bf16, f32,  16, f32_16x16x16_bf16,    _gfx12, a, b, c)
    TEGULA_WMMA(f16,  f16,  f16,  16, f16_16x16x16_f16,     _gfx12, a, b, c)
    TEGULA_WMMA(bf16, bf16, bf16, 16, bf16_16x16x16_bf16,   _gfx12, a, b, c)
    TEGULA_WMMA(e4,   e4,   f32,  16, f32_16x16x16_fp8_fp8, _gfx12, a, b, c)
    TEGULA_WMMA(e4,   e5,   f32,  16, f32_16x16x16_fp8_bf8, _gfx12, a, b, c)
    TEGULA_WMMA(e5,   e4,   f32,  16, f32_16x16x16_bf8_fp8, _gfx12, a, b, c)
    TEGULA_WMMA(e5,   e5,   f32,  16, f32_16x16x16_bf8_bf8, _gfx12, a, b, c)
    TEGULA_WMMA(iu8,  iu8,  i32,  16, i32_16x16x16_iu8,     _gfx12, ASigned, a, BSigned, b, c, false)
    TEGULA_WMMA(iu4,  iu4,  i32,  16, i32_16x16x16_iu4,     _gfx12, ASigned, a, BSigned, b, c, false)
    TEGULA_WMMA(iu4,  iu4,  i32,  32, i32_16x16x32_iu4,     _gfx12, ASigned, a, BSigned, b, c, false)
    // clang-format on
    static_assert(sizeof(Row) == 0, "tegula: no builtin is known for this WMMA instruction");
}

#undef TEGULA_WMMA

#define TEGULA_WMMA(a_kind, b_kind, c_kind, k, builtin, ...)                                                           \
    if constexpr (key == builtin_key{a_kind, b_kind, c_kind, 16, k, 1})                                                \
        return __builtin_amdgcn_wmma_##builtin(__VA_ARGS__);                                                           \
    else

/// a b + c by WMMA of gfx1250, without negation and without the hint that the next instruction has the same operand.
template <class Row, bool ASigned, bool BSigned, class A, class B, class C>
TEGULA_INLINE C wmma_gfx1250(A a, B b, C c)
{
#if defined(__gfx1250__)
    using enum element_kind;
    constexpr builtin_key key = key_of(Row::value);
    constexpr auto e4 = f8e4m3, e5 = f8e5m2;
    // clang-format off
    TEGULA_WMMA(f32,  f32,  f32,  4,   f32_16x16x4_f32,        0, a, 0, b, 0, c, 0, 0)
    TEGULA_WMMA(f16,  f16,  f32,  32,  f32_16x16x32_f16,       0, a, 0, b, 0, c, 0, 0)
    TEGULA_WMMA(f16,  f16,  f16,  32,  f16_16x16x32_f16,       0, a, 0, b, 0, c, 0, 0)
    TEGULA_WMMA(bf16, bf16, f32,  32,  f32_16x16x32_bf16,      0, a, 0, b, 0, c, 0, 0)
    TEGULA_WMMA(bf16, bf16, bf16, 32,  bf16_16x16x32_bf16,     0, a, 0, b, 0, c, 0, 0)
    TEGULA_WMMA(e4,   e4,   f32,  64,  f32_16x16x64_fp8_fp8,   a, b, 0, c, 0, 0)
    TEGULA_WMMA(e4,   e5,   f32,  64,  f32_16x16x64_fp8_bf8,   a, b, 0, c, 0, 0)
    TEGULA_WMMA(e5,   e4,   f32,  64,  f32_16x16x64_bf8_fp8,   a, b, 0, c, 0, 0)
    TEGULA_WMMA(e5,   e5,   f32,  64,  f32_16x16x64_bf8_bf8,   a, b, 0, c, 0, 0)
    TEGULA_WMMA(e4,   e4,   f16,  64,  f16_16x16x64_fp8_fp8,   a, b, 0, c, 0, 0)
    TEGULA_WMMA(e4,   e5,   f16,  64,  f16_16x16x64_fp8_bf8,   a, b, 0, c, 0, 0)
    TEGULA_WMMA(e5,   e4,   f16,  64,  f16_16x16x64_bf8_fp8,   a, b, 0, c, 0, 0)
    TEGULA_WMMA(e5,   e5,   f16,  64,  f16_16x16x64_bf8_bf8,   a, b, 0, c, 0, 0)
    TEGULA_WMMA(e4,   e4,   f32,  128, f32_16x16x128_fp8_fp8,  a, b, 0, c, 0, 0)
    TEGULA_WMMA(e4,   e5,   f32,  128, f32_16x16x128_fp8_bf8,  a, b, 0, c, 0, 0)
    TEGULA_WMMA(e5,   e4,   f32,  128, f32_16x16x128_bf8_fp8,  a, b, 0, c, 0, 0)
    TEGULA_WMMA(e5,   e5,   f32,  128, f32_16x16x128_bf8_bf8,  a, b, 0, c, 0, 0)
    TEGULA_WMMA(e4,   e4,   f16,  128, f16_16x16x128_fp8_fp8,  a, b, 0, c, 0, 0)
    TEGULA_WMMA(e4,   e5,   f16,  128, f16_16x16x128_fp8_bf8,  a, b, 0, c, 0, 0)
    TEGULA_WMMA(e5,   e4,   f16,  128, f16_16x16x128_bf8_fp8,  a, b, 0, c, 0, 0)
    TEGULA_WMMA(e5,   e5,   f16,  128, f16_16x16x128_bf8_bf8,  a, b, 0, c, 0, 0)
    TEGULA_WMMA(iu8,  iu8,  i32,  64,  i32_16x16x64_iu8,       ASigned, a, BSigned, b, c, 0, 0)
    // clang-format on
    static_assert(sizeof(Row) == 0, "tegula: no builtin is known for this WMMA instruction");
#else
    return c;
#endif
}

#undef TEGULA_WMMA

/// a b + c by an instruction of gfx1250 whose operands have 4, 6 or 8 bits, with block scales if the row has them. Byte
/// i of a word of lane l scales row (column) l % 16 and the i-th 32 of k. Words of lanes below 16 are read, or those
/// from 16 on if HalfA, HalfB is 1 (A of 32 rows: all lanes).
template <class Row, int HalfA = 0, int HalfB = 0, class C, class A, class B>
TEGULA_INLINE C wmma_narrow(const A& a, const B& b, C c, int scale_a = 0, int scale_b = 0)
{
#if defined(__gfx1250__)
    constexpr int format_a = f8f6f4_format(Row::value.a), format_b = f8f6f4_format(Row::value.b);
    const auto left = as_words<16>(a);
    if constexpr (Row::value.m == 32 && Row::value.block_scaled)
        return __builtin_amdgcn_wmma_scale_f32_32x16x128_f4(left, as_words<8>(b), 0, c, HalfA, 0, scale_a, HalfB, 0,
                                                            scale_b, 0, 0);
    else if constexpr (Row::value.m == 32)
        return __builtin_amdgcn_wmma_f32_32x16x128_f4(left, as_words<8>(b), 0, c);
    else if constexpr (Row::value.block_scaled)
        return __builtin_amdgcn_wmma_scale_f32_16x16x128_f8f6f4(format_a, left, format_b, as_words<16>(b), 0, c, HalfA,
                                                                0, scale_a, HalfB, 0, scale_b, 0, 0);
    else
        return __builtin_amdgcn_wmma_f32_16x16x128_f8f6f4(format_a, left, format_b, as_words<16>(b), 0, c);
#else
    return c;
#endif
}

/// a b + c by an instruction with block scales, which takes their parts PartA and PartB; see scaled_mma_atom.
template <class Row, int PartA, int PartB, class C, class A, class B>
TEGULA_INLINE C scaled_product(const A& a, const B& b, C c, int scale_a, int scale_b)
{
    if constexpr (Row::value.family == instruction_family::wmma_gfx1250)
        return wmma_narrow<Row, PartA, PartB>(a, b, c, scale_a, scale_b);
    else
        return mfma_f8f6f4<Row, PartA, PartB>(a, b, c, scale_a, scale_b);
}

/// c += a b by the instruction of Row, an AMD one; see issue_instruction().
template <class Row, bool ASigned, bool BSigned, class A, class B, class C>
TEGULA_INLINE void issue_on_amd(C& c, const A& a, const B& b)
{
    constexpr instruction_family family = Row::value.family;
    const auto sum = operand_vector<family, Row::value.c>(c);
    constexpr int scale = Row::value.block_scaled ? 0x7f7f7f7f : 0; // scales of 1
    if constexpr (family == instruction_family::wmma_gfx1250 && (is_f8f6f4(Row::value) || Row::value.m == 32)) {
        c = __builtin_bit_cast(C, wmma_narrow<Row>(a, b, sum, scale, scale));
    } else if constexpr (is_f8f6f4(Row::value)) {
        c = __builtin_bit_cast(C, mfma_f8f6f4<Row>(a, b, sum, scale, scale));
    } else {
        const auto left = operand_vector<family, Row::value.a>(a);
        const auto right = operand_vector<family, Row::value.b>(b);
        if constexpr (family == instruction_family::mfma)
            c = __builtin_bit_cast(C, mfma<Row>(left, right, sum));
        else if constexpr (family == instruction_family::wmma_gfx11)
            c = __builtin_bit_cast(C, wmma_gfx11<Row, ASigned, BSigned>(left, right, sum));
        else if constexpr (family == instruction_family::wmma_gfx1250)
            c = __builtin_bit_cast(C, wmma_gfx1250<Row, ASigned, BSigned>(left, right, sum));
        else
            c = __builtin_bit_cast(C, wmma_gfx12<Row, ASigned, BSigned>(left, right, sum));
    }
}

} // namespace tegula::detail

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::as_vector;
using tegula::detail::issue_on_amd;
using tegula::detail::scaled_product;
} // namespace tegula::internal

#endif
