#pragma once

#include <tegula/core/array.hpp>
#include <tegula/mma/instruction.hpp>

/// mma.sync as PTX. Device code only.

#if defined(__CUDA_ARCH__)

namespace tegula::detail {

/// Inline PTX wants its text as one literal, so that the forms of an operand list are macros, gone after their use. The
/// numbers in their names are the registers of A and of B.
#define TEGULA_MMA_2_1(text, c_constraint, word)                                                                       \
    asm volatile("mma.sync.aligned." text " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"                       \
                 : c_constraint(c[0]), c_constraint(c[1]), c_constraint(c[2]), c_constraint(c[3])                      \
                 : word(a[0]), word(a[1]), word(b[0]))
#define TEGULA_MMA_4_2(text, c_constraint, word)                                                                       \
    asm volatile("mma.sync.aligned." text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"           \
                 : c_constraint(c[0]), c_constraint(c[1]), c_constraint(c[2]), c_constraint(c[3])                      \
                 : word(a[0]), word(a[1]), word(a[2]), word(a[3]), word(b[0]), word(b[1]))
#define TEGULA_MMA_8_4(text, c_constraint, word)                                                                       \
    asm volatile("mma.sync.aligned." text                                                                              \
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"      \
                 : c_constraint(c[0]), c_constraint(c[1]), c_constraint(c[2]), c_constraint(c[3])                      \
                 : word(a[0]), word(a[1]), word(a[2]), word(a[3]), word(a[4]), word(a[5]), word(a[6]), word(a[7]),     \
                   word(b[0]), word(b[1]), word(b[2]), word(b[3]))
#define TEGULA_MMA_1_1(text, c_constraint, word)                                                                       \
    asm volatile("mma.sync.aligned." text " {%0, %1}, {%2}, {%3}, {%0, %1};"                                           \
                 : c_constraint(c[0]), c_constraint(c[1])                                                              \
                 : word(a[0]), word(b[0]))

/// c += a b by mma.sync of shape M x 8 x K, the operands as 32-bit words (f64: as they are).
template <element_kind A, element_kind B, int M, int K, class C, class Word, int CCount, int ACount, int BCount>
TEGULA_INLINE void mma_sync(array<C, CCount>& c, const array<Word, ACount>& a, const array<Word, BCount>& b)
{
    using enum element_kind;
    constexpr auto is = [](element_kind ka, element_kind kb, int m, int k) {
        return A == ka && B == kb && M == m && K == k;
    };
    if constexpr (is(f16, f16, 16, 16))
        TEGULA_MMA_4_2("m16n8k16.row.col.f32.f16.f16.f32", "+f", "r");
    else if constexpr (is(f16, f16, 16, 8))
        TEGULA_MMA_2_1("m16n8k8.row.col.f32.f16.f16.f32", "+f", "r");
    else if constexpr (is(bf16, bf16, 16, 16))
        TEGULA_MMA_4_2("m16n8k16.row.col.f32.bf16.bf16.f32", "+f", "r");
    else if constexpr (is(bf16, bf16, 16, 8))
        TEGULA_MMA_2_1("m16n8k8.row.col.f32.bf16.bf16.f32", "+f", "r");
    else if constexpr (is(tf32, tf32, 16, 8))
        TEGULA_MMA_4_2("m16n8k8.row.col.f32.tf32.tf32.f32", "+f", "r");
    else if constexpr (is(tf32, tf32, 16, 4))
        TEGULA_MMA_2_1("m16n8k4.row.col.f32.tf32.tf32.f32", "+f", "r");
    else if constexpr (is(i8, i8, 16, 32))
        TEGULA_MMA_4_2("m16n8k32.row.col.s32.s8.s8.s32", "+r", "r");
    else if constexpr (is(i8, i8, 16, 16))
        TEGULA_MMA_2_1("m16n8k16.row.col.s32.s8.s8.s32", "+r", "r");
    else if constexpr (is(i8, i8, 8, 16))
        TEGULA_MMA_1_1("m8n8k16.row.col.s32.s8.s8.s32", "+r", "r");
    else if constexpr (is(i8, u8, 16, 32))
        TEGULA_MMA_4_2("m16n8k32.row.col.s32.s8.u8.s32", "+r", "r");
    else if constexpr (is(i8, u8, 16, 16))
        TEGULA_MMA_2_1("m16n8k16.row.col.s32.s8.u8.s32", "+r", "r");
    else if constexpr (is(i8, u8, 8, 16))
        TEGULA_MMA_1_1("m8n8k16.row.col.s32.s8.u8.s32", "+r", "r");
    else if constexpr (is(u8, i8, 16, 32))
        TEGULA_MMA_4_2("m16n8k32.row.col.s32.u8.s8.s32", "+r", "r");
    else if constexpr (is(u8, i8, 16, 16))
        TEGULA_MMA_2_1("m16n8k16.row.col.s32.u8.s8.s32", "+r", "r");
    else if constexpr (is(u8, i8, 8, 16))
        TEGULA_MMA_1_1("m8n8k16.row.col.s32.u8.s8.s32", "+r", "r");
    else if constexpr (is(u8, u8, 16, 32))
        TEGULA_MMA_4_2("m16n8k32.row.col.s32.u8.u8.s32", "+r", "r");
    else if constexpr (is(u8, u8, 16, 16))
        TEGULA_MMA_2_1("m16n8k16.row.col.s32.u8.u8.s32", "+r", "r");
    else if constexpr (is(u8, u8, 8, 16))
        TEGULA_MMA_1_1("m8n8k16.row.col.s32.u8.u8.s32", "+r", "r");
    else if constexpr (is(f8e4m3, f8e4m3, 16, 32))
        TEGULA_MMA_4_2("m16n8k32.row.col.f32.e4m3.e4m3.f32", "+f", "r");
    else if constexpr (is(f8e4m3, f8e5m2, 16, 32))
        TEGULA_MMA_4_2("m16n8k32.row.col.f32.e4m3.e5m2.f32", "+f", "r");
    else if constexpr (is(f8e5m2, f8e4m3, 16, 32))
        TEGULA_MMA_4_2("m16n8k32.row.col.f32.e5m2.e4m3.f32", "+f", "r");
    else if constexpr (is(f8e5m2, f8e5m2, 16, 32))
        TEGULA_MMA_4_2("m16n8k32.row.col.f32.e5m2.e5m2.f32", "+f", "r");
    else if constexpr (is(f64, f64, 8, 4))
        TEGULA_MMA_1_1("m8n8k4.row.col.f64.f64.f64.f64", "+d", "d");
    else if constexpr (is(f64, f64, 16, 4))
        TEGULA_MMA_2_1("m16n8k4.row.col.f64.f64.f64.f64", "+d", "d");
    else if constexpr (is(f64, f64, 16, 8))
        TEGULA_MMA_4_2("m16n8k8.row.col.f64.f64.f64.f64", "+d", "d");
    else if constexpr (is(f64, f64, 16, 16))
        TEGULA_MMA_8_4("m16n8k16.row.col.f64.f64.f64.f64", "+d", "d");
    else
        static_assert(M == 0, "tegula: no PTX is known for this mma instruction");
}

#undef TEGULA_MMA_1_1
#undef TEGULA_MMA_2_1
#undef TEGULA_MMA_4_2
#undef TEGULA_MMA_8_4

/// c += a b by the NVIDIA instruction with these operands.
template <class Atom>
TEGULA_INLINE void multiply_on_nvidia(array<typename Atom::c_type, Atom::c_count>& c,
                                      const array<typename Atom::a_type, Atom::a_count>& a,
                                      const array<typename Atom::b_type, Atom::b_count>& b)
{
    using word = std::conditional_t<sizeof(typename Atom::a_type) == 8, double, std::uint32_t>;
    using a_words = array<word, sizeof(a) / sizeof(word)>;
    using b_words = array<word, sizeof(b) / sizeof(word)>;
    mma_sync<Atom::a_kind, Atom::b_kind, Atom::m, Atom::k>(c, __builtin_bit_cast(a_words, a),
                                                           __builtin_bit_cast(b_words, b));
}

} // namespace tegula::detail

#endif
