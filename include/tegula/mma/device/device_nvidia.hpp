#pragma once

#include <tegula/core/array.hpp>
#include <tegula/mma/table/instruction.hpp>

/// mma.sync as PTX. Device code only.

#if defined(__CUDA_ARCH__)

namespace tegula::detail {

/// Whether the row's name continues with `rest` after `prefix` characters.
template <class Row>
consteval bool is_named(int prefix, const char* rest)
{
    return internal::equal_text(Row::value.name + prefix, rest);
}

/// Operand lists; the numbers in their names are the registers of C, A and B.
#define TEGULA_OPERANDS_2_1_1 "{%0, %1}, {%2}, {%3}, {%0, %1}"
#define TEGULA_OPERANDS_2_2_1 "{%0, %1}, {%2, %3}, {%4}, {%0, %1}"
#define TEGULA_OPERANDS_2_4_2 "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1}"
#define TEGULA_OPERANDS_4_2_1 "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3}"
#define TEGULA_OPERANDS_4_4_2 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}"
#define TEGULA_OPERANDS_4_8_4                                                                                          \
    "{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3}"

#define TEGULA_1(constraint, x) constraint(x[0])
#define TEGULA_2(constraint, x) constraint(x[0]), constraint(x[1])
#define TEGULA_4(constraint, x) TEGULA_2(constraint, x), constraint(x[2]), constraint(x[3])
#define TEGULA_8(constraint, x)                                                                                        \
    TEGULA_4(constraint, x), constraint(x[4]), constraint(x[5]), constraint(x[6]), constraint(x[7])

/// One row. Inline PTX needs its text as one literal, which also selects the row.
#define TEGULA_MMA(c_count, a_count, b_count, c_letter, letter, text)                                                  \
    if constexpr (is_named<Row>(prefix, text))                                                                         \
        asm volatile("mma.sync.aligned." text " " TEGULA_OPERANDS_##c_count##_##a_count##_##b_count ";"                \
                     : TEGULA_##c_count("+" c_letter, c)                                                               \
                     : TEGULA_##a_count(letter, a), TEGULA_##b_count(letter, b));                                      \
    else
/// The rows for each of two types of A with each of B.
#define TEGULA_MMA_PAIRS(c_count, a_count, b_count, c_letter, shape, x, y, c_name)                                     \
    TEGULA_MMA(c_count, a_count, b_count, c_letter, "r", shape "." x "." x c_name)                                     \
    TEGULA_MMA(c_count, a_count, b_count, c_letter, "r", shape "." x "." y c_name)                                     \
    TEGULA_MMA(c_count, a_count, b_count, c_letter, "r", shape "." y "." x c_name)                                     \
    TEGULA_MMA(c_count, a_count, b_count, c_letter, "r", shape "." y "." y c_name)

/// c += a b by mma.sync, with operands as 32-bit words (f64: as they are).
template <class Row, class C, class A, class B>
TEGULA_INLINE void mma_sync(C& c, const A& a, const B& b)
{
    constexpr int prefix = sizeof("mma.sync.aligned.") - 1;
    // clang-format off
    TEGULA_MMA(4, 4, 2, "f", "r", "m16n8k16.row.col.f32.f16.f16.f32")
    TEGULA_MMA(4, 4, 2, "f", "r", "m16n8k16.row.col.f32.bf16.bf16.f32")
    TEGULA_MMA(4, 4, 2, "f", "r", "m16n8k8.row.col.f32.tf32.tf32.f32")
    TEGULA_MMA_PAIRS(4, 4, 2, "r", "m16n8k32.row.col.s32", "s8", "u8", ".s32")
    TEGULA_MMA_PAIRS(4, 4, 2, "f", "m16n8k32.row.col.f32", "e4m3", "e5m2", ".f32")
    TEGULA_MMA(4, 2, 1, "f", "r", "m16n8k8.row.col.f32.f16.f16.f32")
    TEGULA_MMA(4, 2, 1, "f", "r", "m16n8k8.row.col.f32.bf16.bf16.f32")
    TEGULA_MMA(4, 2, 1, "f", "r", "m16n8k4.row.col.f32.tf32.tf32.f32")
    TEGULA_MMA(2, 4, 2, "r", "r", "m16n8k16.row.col.f16.f16.f16.f16")
    TEGULA_MMA(2, 2, 1, "r", "r", "m16n8k8.row.col.f16.f16.f16.f16")
    TEGULA_MMA_PAIRS(2, 4, 2, "r", "m16n8k32.row.col.f16", "e4m3", "e5m2", ".f16")
    TEGULA_MMA(2, 1, 1, "d", "d", "m8n8k4.row.col.f64.f64.f64.f64")
    TEGULA_MMA(4, 2, 1, "d", "d", "m16n8k4.row.col.f64.f64.f64.f64")
    TEGULA_MMA(4, 4, 2, "d", "d", "m16n8k8.row.col.f64.f64.f64.f64")
    TEGULA_MMA(4, 8, 4, "d", "d", "m16n8k16.row.col.f64.f64.f64.f64")
    TEGULA_MMA_PAIRS(4, 2, 1, "r", "m16n8k16.row.col.s32", "s8", "u8", ".s32")
    TEGULA_MMA_PAIRS(2, 1, 1, "r", "m8n8k16.row.col.s32", "s8", "u8", ".s32")
    TEGULA_MMA_PAIRS(4, 4, 2, "r", "m16n8k64.row.col.s32", "s4", "u4", ".s32")
    TEGULA_MMA_PAIRS(4, 2, 1, "r", "m16n8k32.row.col.s32", "s4", "u4", ".s32")
    TEGULA_MMA_PAIRS(2, 1, 1, "r", "m8n8k32.row.col.s32", "s4", "u4", ".s32")
    TEGULA_MMA(4, 4, 2, "r", "r", "m16n8k256.row.col.s32.b1.b1.s32.and.popc")
    TEGULA_MMA(4, 4, 2, "r", "r", "m16n8k256.row.col.s32.b1.b1.s32.xor.popc")
    TEGULA_MMA(2, 1, 1, "r", "r", "m8n8k128.row.col.s32.b1.b1.s32.and.popc")
    TEGULA_MMA(2, 1, 1, "r", "r", "m8n8k128.row.col.s32.b1.b1.s32.xor.popc")
    TEGULA_MMA(4, 4, 2, "f", "r", "kind::f8f6f4.m16n8k32.row.col.f32.e2m1.e2m1.f32")
    TEGULA_MMA(4, 4, 2, "f", "r", "kind::f8f6f4.m16n8k32.row.col.f32.e2m3.e2m3.f32")
    TEGULA_MMA(4, 4, 2, "f", "r", "kind::f8f6f4.m16n8k32.row.col.f32.e3m2.e3m2.f32")
    TEGULA_MMA(4, 4, 2, "f", "r", "kind::f8f6f4.m16n8k32.row.col.f32.e4m3.e4m3.f32")
    TEGULA_MMA(4, 4, 2, "f", "r", "kind::f8f6f4.m16n8k32.row.col.f32.e5m2.e5m2.f32")
    // clang-format on
    static_assert(sizeof(Row) == 0, "tegula: no PTX is known for this mma instruction");
}

#define TEGULA_SCALED_MMA(text)                                                                                        \
    if constexpr (is_named<Row>(prefix, text))                                                                         \
        asm volatile("mma.sync.aligned." text " " TEGULA_OPERANDS_4_4_2 ", %10, {%11, %12}, %13, {%14, %15};"          \
                     : TEGULA_4("+f", c)                                                                               \
                     : TEGULA_4("r", a), TEGULA_2("r", b), "r"(a_scales), "n"(AByte), "n"(AThread), "r"(b_scales),     \
                       "n"(BByte), "n"(BThread));                                                                      \
    else
#define TEGULA_SCALED_MMA_ROW(x)                                                                                       \
    TEGULA_SCALED_MMA("kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32." x ".e4m3.f32.ue8m0")            \
    TEGULA_SCALED_MMA("kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32." x ".e5m2.f32.ue8m0")            \
    TEGULA_SCALED_MMA("kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32." x ".e2m3.f32.ue8m0")            \
    TEGULA_SCALED_MMA("kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32." x ".e3m2.f32.ue8m0")            \
    TEGULA_SCALED_MMA("kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32." x ".e2m1.f32.ue8m0")

/// c += a b by mma.sync with block scales, placed as scaled_warp_atom documents.
template <class Row, int AByte, int AThread, int BByte, int BThread>
TEGULA_INLINE void scaled_mma_sync(array<float, 4>& c, const array<std::uint32_t, 4>& a,
                                   const array<std::uint32_t, 2>& b, std::uint32_t a_scales, std::uint32_t b_scales)
{
    constexpr int prefix = sizeof("mma.sync.aligned.") - 1;
    // clang-format off
    TEGULA_SCALED_MMA("kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3")
    TEGULA_SCALED_MMA("kind::mxf4nvf4.block_scale.scale_vec::2X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue8m0")
    TEGULA_SCALED_MMA_ROW("e4m3")
    TEGULA_SCALED_MMA_ROW("e5m2")
    TEGULA_SCALED_MMA_ROW("e2m3")
    TEGULA_SCALED_MMA_ROW("e3m2")
    TEGULA_SCALED_MMA_ROW("e2m1")
    // clang-format on
    static_assert(sizeof(Row) == 0, "tegula: no PTX is known for this mma instruction");
}

#undef TEGULA_SCALED_MMA_ROW
#undef TEGULA_SCALED_MMA
#undef TEGULA_MMA_PAIRS
#undef TEGULA_MMA

/// Four scales of 1 in the row's scale type.
template <class Row>
consteval std::uint32_t four_ones()
{
    return scaled_block(Row::value) == 16 ? 0x38383838 : 0x7f7f7f7f;
}

/// c += a b by the instruction of Row, one of an NVIDIA warp; see issue_instruction().
template <class Row, class C, class A, class B>
TEGULA_INLINE void issue_on_nvidia(C& c, const A& a, const B& b)
{
    constexpr element_kind kind = Row::value.c;
    using word = std::conditional_t<kind == element_kind::f64, double, std::uint32_t>;
    using c_word = std::conditional_t<kind == element_kind::f32, float, word>;
    using c_words = array<c_word, sizeof(C) / sizeof(c_word)>;
    const auto left = __builtin_bit_cast(array<word, sizeof(A) / sizeof(word)>, a);
    const auto right = __builtin_bit_cast(array<word, sizeof(B) / sizeof(word)>, b);
    c_words sum = __builtin_bit_cast(c_words, c);
    if constexpr (Row::value.block_scaled) { // scales of 1
        constexpr std::uint32_t ones = four_ones<Row>();
        scaled_mma_sync<Row, 0, 0, 0, 0>(sum, left, right, ones, ones);
    } else {
        mma_sync<Row>(sum, left, right);
    }
    c = __builtin_bit_cast(C, sum);
}

#undef TEGULA_1
#undef TEGULA_2
#undef TEGULA_4
#undef TEGULA_8
#undef TEGULA_OPERANDS_2_1_1
#undef TEGULA_OPERANDS_2_2_1
#undef TEGULA_OPERANDS_2_4_2
#undef TEGULA_OPERANDS_4_2_1
#undef TEGULA_OPERANDS_4_4_2
#undef TEGULA_OPERANDS_4_8_4

} // namespace tegula::detail

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::issue_on_nvidia;
using tegula::detail::scaled_mma_sync;
} // namespace tegula::internal

#endif
