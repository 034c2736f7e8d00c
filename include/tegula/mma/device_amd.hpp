#pragma once

#include <tegula/core/array.hpp>
#include <tegula/mma/instruction.hpp>

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

/// The registers as the vector a builtin takes: Count values of T in all.
template <class T, int Count, class Registers>
TEGULA_INLINE auto as_vector(const Registers& registers)
{
    static_assert(sizeof(T) * Count == sizeof(Registers));
    return __builtin_bit_cast(typename vector_register<T, Count>::type, registers);
}

/// An operand as its instructions take it: f16 and f32 as vectors of these, bf16 as shorts, bytes as int or long words.
template <element_kind Kind, class Word, class Registers>
TEGULA_INLINE auto input_vector(const Registers& registers)
{
    using enum element_kind;
    constexpr int bytes = sizeof(Registers);
    if constexpr (Kind == f16)
        return as_vector<_Float16, bytes / 2>(registers);
    else if constexpr (Kind == bf16)
        return as_vector<short, bytes / 2>(registers);
    else if constexpr (Kind == f32 || Kind == tf32)
        return as_vector<float, bytes / 4>(registers);
    else if constexpr (Kind == f64)
        return as_vector<double, bytes / 8>(registers);
    else
        return as_vector<Word, bytes / sizeof(Word)>(registers);
}

/// What tells the instructions of one family apart.
struct builtin_key
{
    element_kind a, b;
    int m, k;
    friend constexpr bool operator==(builtin_key, builtin_key) = default;
};

/// a b + c by MFMA; the shapes of one block.
template <element_kind A, element_kind B, int M, int K, class AVector, class BVector, class CVector>
TEGULA_INLINE CVector mfma(AVector a, BVector b, CVector c)
{
    using enum element_kind;
    constexpr builtin_key key = {A, B, M, K};
    constexpr auto e4 = f8e4m3fnuz, e5 = f8e5m2fnuz;
    if constexpr (key == builtin_key{f16, f16, 32, 8})
        return __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, c, 0, 0, 0);
    else if constexpr (key == builtin_key{f16, f16, 16, 16})
        return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
    else if constexpr (key == builtin_key{bf16, bf16, 32, 8})
        return __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(a, b, c, 0, 0, 0);
    else if constexpr (key == builtin_key{bf16, bf16, 16, 16})
        return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, 0, 0, 0);
    else if constexpr (key == builtin_key{bf16, bf16, 32, 4})
        return __builtin_amdgcn_mfma_f32_32x32x4bf16(a, b, c, 0, 0, 0);
    else if constexpr (key == builtin_key{bf16, bf16, 16, 8})
        return __builtin_amdgcn_mfma_f32_16x16x8bf16(a, b, c, 0, 0, 0);
    else if constexpr (key == builtin_key{f32, f32, 32, 2})
        return __builtin_amdgcn_mfma_f32_32x32x2f32(a, b, c, 0, 0, 0);
    else if constexpr (key == builtin_key{f32, f32, 16, 4})
        return __builtin_amdgcn_mfma_f32_16x16x4f32(a, b, c, 0, 0, 0);
    else if constexpr (key == builtin_key{tf32, tf32, 32, 4})
        return __builtin_amdgcn_mfma_f32_32x32x4_xf32(a, b, c, 0, 0, 0);
    else if constexpr (key == builtin_key{tf32, tf32, 16, 8})
        return __builtin_amdgcn_mfma_f32_16x16x8_xf32(a, b, c, 0, 0, 0);
    else if constexpr (key == builtin_key{f64, f64, 16, 4})
        return __builtin_amdgcn_mfma_f64_16x16x4f64(a, b, c, 0, 0, 0);
    else if constexpr (key == builtin_key{i8, i8, 32, 8})
        return __builtin_amdgcn_mfma_i32_32x32x8i8(a, b, c, 0, 0, 0);
    else if constexpr (key == builtin_key{i8, i8, 16, 16})
        return __builtin_amdgcn_mfma_i32_16x16x16i8(a, b, c, 0, 0, 0);
    else if constexpr (key == builtin_key{i8, i8, 32, 16})
        return __builtin_amdgcn_mfma_i32_32x32x16_i8(a, b, c, 0, 0, 0);
    else if constexpr (key == builtin_key{i8, i8, 16, 32})
        return __builtin_amdgcn_mfma_i32_16x16x32_i8(a, b, c, 0, 0, 0);
    else if constexpr (key == builtin_key{e4, e4, 32, 16})
        return __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(a, b, c, 0, 0, 0);
    else if constexpr (key == builtin_key{e4, e5, 32, 16})
        return __builtin_amdgcn_mfma_f32_32x32x16_fp8_bf8(a, b, c, 0, 0, 0);
    else if constexpr (key == builtin_key{e5, e4, 32, 16})
        return __builtin_amdgcn_mfma_f32_32x32x16_bf8_fp8(a, b, c, 0, 0, 0);
    else if constexpr (key == builtin_key{e5, e5, 32, 16})
        return __builtin_amdgcn_mfma_f32_32x32x16_bf8_bf8(a, b, c, 0, 0, 0);
    else if constexpr (key == builtin_key{e4, e4, 16, 32})
        return __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(a, b, c, 0, 0, 0);
    else if constexpr (key == builtin_key{e4, e5, 16, 32})
        return __builtin_amdgcn_mfma_f32_16x16x32_fp8_bf8(a, b, c, 0, 0, 0);
    else if constexpr (key == builtin_key{e5, e4, 16, 32})
        return __builtin_amdgcn_mfma_f32_16x16x32_bf8_fp8(a, b, c, 0, 0, 0);
    else if constexpr (key == builtin_key{e5, e5, 16, 32})
        return __builtin_amdgcn_mfma_f32_16x16x32_bf8_bf8(a, b, c, 0, 0, 0);
    else
        static_assert(M == 0, "tegula: no builtin is known for this MFMA instruction");
}

/// a b + c by WMMA of gfx11, wave32.
template <element_kind A, element_kind B, class AVector, class BVector, class CVector>
TEGULA_INLINE CVector wmma_gfx11(AVector a, BVector b, CVector c)
{
    using enum element_kind;
    if constexpr (A == f16)
        return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
    else if constexpr (A == bf16)
        return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, c);
    else
        return __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(A == i8, a, B == i8, b, c, false);
}

/// a b + c by WMMA of gfx12, wave32.
template <element_kind A, element_kind B, class AVector, class BVector, class CVector>
TEGULA_INLINE CVector wmma_gfx12(AVector a, BVector b, CVector c)
{
    using enum element_kind;
    if constexpr (A == f16)
        return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c);
    else if constexpr (A == bf16)
        return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(a, b, c);
    else if constexpr (A == f8e4m3 && B == f8e4m3)
        return __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(a, b, c);
    else if constexpr (A == f8e4m3 && B == f8e5m2)
        return __builtin_amdgcn_wmma_f32_16x16x16_fp8_bf8_w32_gfx12(a, b, c);
    else if constexpr (A == f8e5m2 && B == f8e4m3)
        return __builtin_amdgcn_wmma_f32_16x16x16_bf8_fp8_w32_gfx12(a, b, c);
    else if constexpr (A == f8e5m2 && B == f8e5m2)
        return __builtin_amdgcn_wmma_f32_16x16x16_bf8_bf8_w32_gfx12(a, b, c);
    else
        return __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(A == i8, a, B == i8, b, c, false);
}

/// c += a b by the AMD instruction with these operands.
template <class Atom>
TEGULA_INLINE void multiply_on_amd(array<typename Atom::c_type, Atom::c_count>& c,
                                   const array<typename Atom::a_type, Atom::a_count>& a,
                                   const array<typename Atom::b_type, Atom::b_count>& b)
{
    constexpr element_kind ka = Atom::a_kind, kb = Atom::b_kind;
    auto sum = as_vector<typename Atom::c_type, Atom::c_count>(c);
    if constexpr (Atom::family == instruction_family::mfma) {
        using word = std::conditional_t<sizeof(a) == 4, int, long>;
        sum = mfma<ka, kb, Atom::m, Atom::k>(input_vector<ka, word>(a), input_vector<kb, word>(b), sum);
    } else if constexpr (Atom::family == instruction_family::wmma_gfx11) {
        sum = wmma_gfx11<ka, kb>(input_vector<ka, int>(a), input_vector<kb, int>(b), sum);
    } else {
        sum = wmma_gfx12<ka, kb>(input_vector<ka, int>(a), input_vector<kb, int>(b), sum);
    }
    c = __builtin_bit_cast(std::remove_reference_t<decltype(c)>, sum);
}

} // namespace tegula::detail

#endif
