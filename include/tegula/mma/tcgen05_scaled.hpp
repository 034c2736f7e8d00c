#pragma once

#include <tegula/core/block_scale.hpp>
#include <tegula/mma/tcgen05_copy.hpp>
#include <tegula/mma/tcgen05_instruction.hpp>

#if !TEGULA_DEVICE_PASS
#include <tegula/mma/emulation/emulate_tcgen05_scaled.hpp>
#endif

namespace tegula {

/// Kinds of tcgen05.mma with a scale for each block along k (PTX ISA 9.0, 9.7.16.2.1).
enum class tcgen05_scaled_kind { mxf8f6f4, mxf4, mxf4nvf4 };

/// The 32-bit instruction descriptor of the block-scaled kinds (PTX ISA 9.0, table 44), unpacked.
struct tcgen05_scaled_instruction
{
    int a = 0; ///< mxf8f6f4: e4m3 0, e5m2 1, e2m3 3, e3m2 4, e2m1 5; the kinds of 4 bits: e2m1 1
    int b = 0;
    bool powers = true; ///< scales are ue8m0, else ue4m3
    int m = 128;
    int n = 128;
    int a_scale = 0; ///< byte of the instruction's first scale in a word
    int b_scale = 0;

    constexpr TEGULA_HOST_DEVICE std::uint32_t pack() const
    {
        return static_cast<std::uint32_t>(b_scale) << 4 | static_cast<std::uint32_t>(a) << 7 |
               static_cast<std::uint32_t>(b) << 10 | static_cast<std::uint32_t>(n >> 3) << 17 |
               static_cast<std::uint32_t>(powers) << 23 | static_cast<std::uint32_t>(m >> 7) << 27 |
               static_cast<std::uint32_t>(a_scale) << 29;
    }
};

namespace detail {

template <class Format>
inline constexpr int scaled_width = Format::element_type::format::width;

/// Codes of the types of mxf8f6f4; -1: it does not have the type.
template <class T>
constexpr int scaled_code()
{
    return std::is_same_v<T, float8_e4m3>   ? 0
           : std::is_same_v<T, float8_e5m2> ? 1
           : std::is_same_v<T, float6_e2m3> ? 3
           : std::is_same_v<T, float6_e3m2> ? 4
           : std::is_same_v<T, float4_e2m1> ? 5
                                            : -1;
}

template <class FormatA, class FormatB>
constexpr tcgen05_scaled_kind scaled_kind_of()
{
    return FormatA::has_tensor_scale                                  ? tcgen05_scaled_kind::mxf4nvf4
           : scaled_width<FormatA> == 4 && scaled_width<FormatB> == 4 ? tcgen05_scaled_kind::mxf4
                                                                      : tcgen05_scaled_kind::mxf8f6f4;
}

} // namespace detail

/// Whether Target multiplies operands of these formats (mx_format, nvfp4_format) by a tcgen05.mma of this shape. The
/// shape has 128 rows in one block or 256 in a pair, and 16 to 256 columns, here 128, 192 or 256, so that tiles of scales
/// start at whole words. NVFP4 goes with itself, Microscaling formats with each other.
template <class Target, class FormatA, class FormatB, int M, int N, int Blocks = 1>
inline constexpr bool
    has_tcgen05_scaled = Target::chip().tensor_columns > 0 &&
                         FormatA::has_tensor_scale ==
                             FormatB::has_tensor_scale&& detail::scaled_code<typename FormatA::element_type>() >= 0 &&
                         detail::scaled_code<typename FormatB::element_type>() >= 0 &&
                         (Blocks == 1 || Blocks == 2) && M == 128 * Blocks && (N == 128 || N == 192 || N == 256);

/// One block-scaled product of the tensor core of sm_100a or sm_103a: C (+)= A B. Each block along k of a row of A and
/// of a column of B has its own scale. A and B are in shared memory, 32 bytes of k; C and scales are in tensor memory.
///
/// Operands have the layout of tcgen05_operand of bytes, k contiguous. If both have 4 bits, a byte holds 2 elements and
/// k is 64. Otherwise 16 elements lie in the first bytes of 16 (tensor_element::u6_align16), and k is 32.
///
/// scales  for 128 rows an atom of scale_atom_offset(), 512 bytes, copied by scale_copy: row r in lane r % 32 (of every
///         warp's 32), column r / 32; a word has four blocks along k. An instruction takes `scales` bytes of each word.
///
/// Otherwise like tcgen05_atom. The emulator sums a product in double and rounds once.
template <class Target, class FormatA, class FormatB, int M, int N, int Blocks = 1>
struct tcgen05_scaled_atom
{
    static_assert(has_tcgen05_scaled<Target, FormatA, FormatB, M, N, Blocks>,
                  "tegula: the target has no block-scaled tcgen05.mma of these formats and this shape; m is 128, of a "
                  "pair 256; n is 128, 192 or 256; NVFP4 goes with NVFP4");

    using target = Target;
    using a_format = FormatA;
    using b_format = FormatB;
    using c_type = float;
    static constexpr tcgen05_scaled_kind kind = detail::scaled_kind_of<FormatA, FormatB>();
    static constexpr bool packed = kind != tcgen05_scaled_kind::mxf8f6f4; ///< two elements per byte
    static constexpr int m = M;
    static constexpr int n = N;
    static constexpr int k = packed ? 64 : 32;
    static constexpr int blocks = Blocks;
    static constexpr int scales = k / FormatA::block; ///< scales of a row per instruction: 1, 2 or 4
    static constexpr tensor_product_shape shape = {Blocks, M, N};
    static constexpr int block_m = M / Blocks;
    static constexpr int block_n = N / Blocks;
    static constexpr int columns = shape.columns();
    /// Columns of tensor memory for an atom of A's scales, and for as many scales of B; a block has those of all N.
    static constexpr int a_scale_columns = block_m / 32, b_scale_columns = N / 32;
    /// Instructions that an atom of scales serves.
    static constexpr int steps_of_atom = 4 / scales;

    using scale_copy = tcgen05_copy<tensor_copy::rows_32x128b_x4, Blocks>;

    /// `byte`: the first of the instruction's scales in the words of both operands, a multiple of `scales`.
    static consteval std::uint32_t descriptor(int byte)
    {
        return tcgen05_scaled_instruction{packed ? 1 : detail::scaled_code<typename FormatA::element_type>(),
                                          packed ? 1 : detail::scaled_code<typename FormatB::element_type>(),
                                          !FormatA::has_tensor_scale,
                                          M,
                                          N,
                                          byte,
                                          byte}
            .pack();
    }

    /// C at address `c` = a b + (accumulate ? C : 0) with the scales at `a_scales` and `b_scales`.
    template <int Byte>
    static TEGULA_INLINE void multiply([[maybe_unused]] std::uint32_t c, [[maybe_unused]] std::uint64_t a,
                                       [[maybe_unused]] std::uint64_t b, [[maybe_unused]] std::uint32_t a_scales,
                                       [[maybe_unused]] std::uint32_t b_scales, [[maybe_unused]] bool accumulate,
                                       [[maybe_unused]] call_site where = call_site::here())
    {
        static_assert(Byte % scales == 0 && Byte >= 0 && Byte < 4,
                      "tegula: an instruction's scales start at a multiple of their number in a word");
#if TEGULA_TENSOR_MEMORY_PASS
        issue<descriptor(Byte)>(c, a, b, a_scales, b_scales, static_cast<std::uint32_t>(accumulate));
#elif !TEGULA_DEVICE_PASS
        emulation::multiply_tcgen05_scaled<tcgen05_scaled_atom, Byte>(c, a, b, a_scales, b_scales, accumulate, where);
#endif
    }

private:
#if TEGULA_TENSOR_MEMORY_PASS
    template <std::uint32_t Descriptor>
    static TEGULA_INLINE void issue(std::uint32_t c, std::uint64_t a, std::uint64_t b, std::uint32_t a_scales,
                                    std::uint32_t b_scales, std::uint32_t accumulate)
    {
        // clang-format off
#define TEGULA_TCGEN05_SCALED(name, vector, group)                                                                     \
    if constexpr (kind == tcgen05_scaled_kind::name && Blocks == group)                                                \
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %6, 0;\n"                                                       \
                     "tcgen05.mma.cta_group::" #group ".kind::" #name ".block_scale." #vector                          \
                     " [%0], %1, %2, %3, [%4], [%5], p;\n}"                                                            \
                     ::"r"(c), "l"(a), "l"(b), "r"(Descriptor), "r"(a_scales), "r"(b_scales), "r"(accumulate)          \
                     : "memory")
        TEGULA_TCGEN05_SCALED(mxf8f6f4, block32, 1);
        TEGULA_TCGEN05_SCALED(mxf8f6f4, block32, 2);
        TEGULA_TCGEN05_SCALED(mxf4, block32, 1);
        TEGULA_TCGEN05_SCALED(mxf4, block32, 2);
        TEGULA_TCGEN05_SCALED(mxf4nvf4, block16, 1);
        TEGULA_TCGEN05_SCALED(mxf4nvf4, block16, 2);
#undef TEGULA_TCGEN05_SCALED
        // clang-format on
    }
#endif
};

} // namespace tegula
