#pragma once

#include <tegula/chip/tensor_memory.hpp>
#include <tegula/core/bfloat16.hpp>
#include <tegula/core/float8.hpp>
#include <tegula/core/half.hpp>
#include <tegula/core/tfloat32.hpp>
#include <tegula/mma/operand_order.hpp>

namespace tegula {

/// Kinds of tcgen05.mma: families of input types (PTX ISA 9.0, 9.7.16.2.1).
enum class tcgen05_kind { f16, tf32, f8f6f4, i8 };

/// Codes of operand and result types in an instruction descriptor (PTX ISA 9.0, tables 42 to 44).
template <class T>
struct tcgen05_type;
template <>
struct tcgen05_type<half>
{
    static constexpr tcgen05_kind kind = tcgen05_kind::f16;
    static constexpr int code = 0;
};
template <>
struct tcgen05_type<bfloat16>
{
    static constexpr tcgen05_kind kind = tcgen05_kind::f16;
    static constexpr int code = 1;
};
template <>
struct tcgen05_type<tfloat32>
{
    static constexpr tcgen05_kind kind = tcgen05_kind::tf32;
    static constexpr int code = 2;
};
template <>
struct tcgen05_type<float8_e4m3>
{
    static constexpr tcgen05_kind kind = tcgen05_kind::f8f6f4;
    static constexpr int code = 0;
};
template <>
struct tcgen05_type<float8_e5m2>
{
    static constexpr tcgen05_kind kind = tcgen05_kind::f8f6f4;
    static constexpr int code = 1;
};
template <>
struct tcgen05_type<std::uint8_t>
{
    static constexpr tcgen05_kind kind = tcgen05_kind::i8;
    static constexpr int code = 0;
};
template <>
struct tcgen05_type<std::int8_t>
{
    static constexpr tcgen05_kind kind = tcgen05_kind::i8;
    static constexpr int code = 1;
};

/// The 32-bit instruction descriptor of tcgen05.mma, unpacked (PTX ISA 9.0, 9.7.16.4.2). Sparsity, negation and
/// saturation are left out: no product here uses them.
struct tcgen05_instruction
{
    int result = 1; ///< 0: f16, 1: f32, 2: s32
    int a = 0;      ///< tcgen05_type::code
    int b = 0;
    operand_order order_a = operand_order::k_contiguous;
    operand_order order_b = operand_order::k_contiguous;
    int m = 128;
    int n = 256;

    constexpr TEGULA_HOST_DEVICE std::uint32_t pack() const
    {
        return static_cast<std::uint32_t>(result) << 4 | static_cast<std::uint32_t>(a) << 7 |
               static_cast<std::uint32_t>(b) << 10 | major(order_a) << 15 | major(order_b) << 16 |
               static_cast<std::uint32_t>(n >> 3) << 17 | static_cast<std::uint32_t>(m >> 4) << 24;
    }

private:
    static constexpr TEGULA_HOST_DEVICE std::uint32_t major(operand_order order)
    {
        return order == operand_order::row_contiguous ? 1 : 0;
    }
};

/// Whether tcgen05.mma of that kind has the shape (PTX ISA 9.0, table 39). Floats with 64 rows in one block may have an
/// n that is a multiple of 8; with 128 rows it is a multiple of 16, as in the vendor's own kernels.
constexpr bool has_tcgen05_shape(tcgen05_kind kind, const tensor_product_shape& s)
{
    if (s.blocks == 1 ? s.m != 64 && s.m != 128 : s.m != 128 && s.m != 256)
        return false;
    const int step = (s.blocks == 2 ? 2 : 1) * (kind == tcgen05_kind::i8 || s.m != 64 ? 16 : 8);
    const int least = s.blocks == 2 && kind != tcgen05_kind::i8 ? 16 : step;
    const bool few = kind == tcgen05_kind::i8 && s.blocks == 1 && (s.n == 8 || s.n == 24);
    return few || (s.n >= least && s.n <= 256 && s.n % (s.blocks == 2 && kind != tcgen05_kind::i8 ? 16 : step) == 0);
}

} // namespace tegula
