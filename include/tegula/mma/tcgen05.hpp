#pragma once

#include <tegula/arch/nvidia/tensor_memory.hpp>
#include <tegula/mma/tcgen05_instruction.hpp>
#include <tegula/mma/tcgen05_operand.hpp>

#if !TEGULA_DEVICE_PASS
#include <tegula/mma/emulation/emulate_tcgen05.hpp>
#endif

namespace tegula {

namespace detail {

/// Whether operands of these types are multiplied to this type of accumulator on Target.
template <class Target, class A, class B, class C>
consteval bool has_tcgen05_types()
{
    if constexpr (requires { tcgen05_type<A>::kind == tcgen05_type<B>::kind; }) {
        constexpr tcgen05_kind kind = tcgen05_type<A>::kind;
        if (Target::chip().tensor_columns == 0 || kind != tcgen05_type<B>::kind)
            return false;
        if (kind == tcgen05_kind::i8) // sm_103a has no i8
            return std::is_same_v<C, std::int32_t> && Target::chip().has_tcgen05_integers;
        const bool half_sums = kind == tcgen05_kind::f8f6f4 || (std::is_same_v<A, half> && std::is_same_v<B, half>);
        return std::is_same_v<C, float> || (std::is_same_v<C, half> && half_sums);
    } else {
        return false;
    }
}

} // namespace detail

/// Whether Target has tcgen05.mma of these types and this shape. With Blocks 2 the shape is that of both blocks of a
/// pair. Types: half and bfloat16, tfloat32, float8_e4m3 and float8_e5m2 (mixed too), on sm_100a int8 and uint8 (mixed
/// too); C float, for half and the 8-bit floats also half, for integers int32.
template <class Target, class A, class B, class C, int M, int N, int Blocks = 1>
inline constexpr bool has_tcgen05 = [] {
    if constexpr (detail::has_tcgen05_types<Target, A, B, C>())
        return has_tcgen05_shape(tcgen05_type<A>::kind, tensor_product_shape{Blocks, M, N});
    else
        return false;
}();

/// One matrix instruction of the tensor core of sm_100a or sm_103a: C (+)= A B with A [M, k], B [k, N] in shared memory
/// and C [M, N] in tensor memory; k takes 32 bytes.
///
/// One lane issues it. With Blocks 2 it is a lane of the first block of a pair. Each block has half of A's rows and
/// half of B's columns in its shared memory, at the same place, and keeps half of C's rows. tcgen05_operand makes the
/// descriptors. tensor_product_shape says where C lies: an element per word, a half in its lower part. Products on the
/// same accumulators run in order; arch/nvidia/tensor_memory.hpp has the other rules.
///
/// Sums are as in mma_atom. The emulator rounds half accumulators once per instruction.
template <class Target, class A, class B, class C, int M, int N, int Blocks = 1,
          operand_order OrderA = operand_order::k_contiguous, operand_order OrderB = operand_order::k_contiguous>
struct tcgen05_atom
{
    static_assert(
        has_tcgen05<Target, A, B, C, M, N, Blocks>,
        "tegula: the target has no tcgen05.mma of these types and this shape; m is 64 or 128, of a pair 128 or 256; "
        "n is a multiple of 16 up to 256; for floats with m 64, of 8; for integers, of 32 in a pair, else also 8, 24");

    using target = Target;
    using a_type = A;
    using b_type = B;
    using c_type = C;
    static constexpr tcgen05_kind kind = tcgen05_type<A>::kind;
    static constexpr int m = M;
    static constexpr int n = N;
    static constexpr int k = 32 / static_cast<int>(sizeof(A));
    static constexpr int blocks = Blocks;
    static constexpr operand_order order_a = OrderA;
    static constexpr operand_order order_b = OrderB;
    static constexpr tensor_product_shape shape = {Blocks, M, N};
    static constexpr int block_m = M / Blocks; ///< rows of A, and of C, of one block
    static constexpr int block_n = N / Blocks; ///< columns of B of one block
    static constexpr int columns = shape.columns();
    static constexpr std::uint32_t descriptor = tcgen05_instruction{std::is_same_v<C, half>    ? 0
                                                                    : std::is_same_v<C, float> ? 1
                                                                                               : 2,
                                                                    tcgen05_type<A>::code,
                                                                    tcgen05_type<B>::code,
                                                                    OrderA,
                                                                    OrderB,
                                                                    M,
                                                                    N}
                                                    .pack();

    /// C at address `c` = a b + (accumulate ? C : 0).
    static TEGULA_INLINE void multiply([[maybe_unused]] std::uint32_t c, [[maybe_unused]] std::uint64_t a,
                                       [[maybe_unused]] std::uint64_t b, [[maybe_unused]] bool accumulate,
                                       [[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_TENSOR_MEMORY_PASS
        issue(c, a, b, static_cast<std::uint32_t>(accumulate));
#elif !TEGULA_DEVICE_PASS
        emulation::multiply_tcgen05<tcgen05_atom>(c, a, b, accumulate, where);
#endif
    }

    /// multiply with A in tensor memory, from address `a` on: row r in lane r, elements next to each other in words,
    /// those of the lowest k in the lowest bits (PTX ISA 9.0, 9.7.16.10.4.2). For a block with 128 rows.
    static TEGULA_INLINE void multiply_tensor_memory([[maybe_unused]] std::uint32_t c, [[maybe_unused]] std::uint32_t a,
                                                     [[maybe_unused]] std::uint64_t b, [[maybe_unused]] bool accumulate,
                                                     [[maybe_unused]] call_site where = call_site::here())
    {
        static_assert(block_m == 128 && OrderA == operand_order::k_contiguous,
                      "tegula: A in tensor memory has 128 rows in a block and is contiguous along k");
#if TEGULA_TENSOR_MEMORY_PASS
        issue(c, a, b, static_cast<std::uint32_t>(accumulate));
#elif !TEGULA_DEVICE_PASS
        emulation::multiply_tcgen05<tcgen05_atom>(c, tensor_memory_rows{a}, b, accumulate, where);
#endif
    }

private:
#if TEGULA_TENSOR_MEMORY_PASS
    // clang-format off
    // A is written as `place`, and its address is in a register of the constraint `word`.
#define TEGULA_TCGEN05(name, group, place, word)                                                                       \
    if constexpr (kind == tcgen05_kind::name && Blocks == group)                                                       \
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %4, 0;\n"                                                       \
                     "tcgen05.mma.cta_group::" #group ".kind::" #name " [%0], " place ", %2, %3, p;\n}"                \
                     ::"r"(c), word(a), "l"(b), "r"(descriptor), "r"(accumulate) : "memory")
#define TEGULA_TCGEN05_KINDS(group, place, word)                                                                       \
    TEGULA_TCGEN05(f16, group, place, word);                                                                           \
    TEGULA_TCGEN05(tf32, group, place, word);                                                                          \
    TEGULA_TCGEN05(f8f6f4, group, place, word);                                                                        \
    TEGULA_TCGEN05(i8, group, place, word)
    // clang-format on
    static TEGULA_INLINE void issue(std::uint32_t c, std::uint64_t a, std::uint64_t b, std::uint32_t accumulate)
    {
        TEGULA_TCGEN05_KINDS(1, "%1", "l");
        TEGULA_TCGEN05_KINDS(2, "%1", "l");
    }
    static TEGULA_INLINE void issue(std::uint32_t c, std::uint32_t a, std::uint64_t b, std::uint32_t accumulate)
    {
        TEGULA_TCGEN05_KINDS(1, "[%1]", "r");
        TEGULA_TCGEN05_KINDS(2, "[%1]", "r");
    }
#undef TEGULA_TCGEN05_KINDS
#undef TEGULA_TCGEN05
#endif
};

} // namespace tegula
