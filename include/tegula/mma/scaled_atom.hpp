#pragma once

#include <tegula/core/block_scale.hpp>
#include <tegula/mma/element_type.hpp>
#include <tegula/mma/instruction_atom.hpp>
#include <tegula/mma/table/table_amd.hpp>
#include <tegula/mma/target_arch.hpp>

namespace tegula {

namespace detail {

/// The element types of the f8f6f4 instructions; kind_of_type has only those that fill bytes.
template <class T>
constexpr element_kind scaled_kind()
{
    if constexpr (std::is_same_v<T, float6_e2m3>)
        return element_kind::f6e2m3;
    else if constexpr (std::is_same_v<T, float6_e3m2>)
        return element_kind::f6e3m2;
    else if constexpr (std::is_same_v<T, float4_e2m1>)
        return element_kind::f4e2m1;
    else
        return kind_of_type<T>();
}

template <class Target, class A, class B, int M>
constexpr instruction find_scaled_row()
{
    for (const instruction& i : instruction_rows::amd)
        if (i.block_scaled && i.m == M && i.a == scaled_kind<A>() && i.b == scaled_kind<B>() &&
            available_on(i, arch_of<Target>()))
            return i;
    return {};
}

template <class Target, class A, class B, int M>
struct scaled_row
{
    static constexpr instruction value = find_scaled_row<Target, A, B, M>();
};

/// Unpacks a lane's bytes of an operand by the instruction's own layout. Host only.
#if !TEGULA_DEVICE_PASS
template <class Row, class T, operand Which>
struct scaled_operand
{
    static constexpr int bits = T::format::width;
    static constexpr int outer = Which == operand::a ? Row::value.m : Row::value.n, k = Row::value.k;

    double value[1 << bits];
    operand_layout layout = make_operand_layout(Row::value, Which);
    std::uint16_t place[outer * k]; ///< place of a slot in the matrix; slots of a lane are together

    scaled_operand()
    {
        for (int lane = 0; lane < layout.lanes; ++lane)
            for (int slot = 0; slot < layout.slots; ++slot)
                place[lane * layout.slots + slot] = static_cast<std::uint16_t>(layout.element(lane, slot));
        for (int pattern = 0; pattern < 1 << bits; ++pattern)
            value[pattern] = static_cast<double>(static_cast<float>(T::from_bits(static_cast<std::uint32_t>(pattern))));
    }

    /// to[k][row] (column of B): elements times scales, from bytes_of(lane) and scale_of(row, block of k).
    template <class BytesOf, class ScaleOf>
    void gather(double* to, const BytesOf& bytes_of, const ScaleOf& scale_of) const
    {
        double scales[k / mx_block * outer];
        for (int i = 0; i < k / mx_block * outer; ++i)
            scales[i] = static_cast<double>(float8_e8m0::from_bits(scale_of(i % outer, i / outer)));
        for (int lane = 0; lane < layout.lanes; ++lane)
            for (int slot = 0; slot < layout.slots; ++slot) {
                const int at = place[lane * layout.slots + slot];
                const int row = Which == operand::a ? at / k : at % outer;
                const int depth = Which == operand::a ? at % k : at / outer;
                const auto pattern = emulation::read_slot(bytes_of(lane), 4 * layout.registers, slot, bits);
                to[depth * outer + row] = value[pattern] * scales[depth / mx_block * outer + row];
            }
    }
};
#endif

/// Part `I` of `Parts` equal parts of an operand's words, which an instruction takes.
template <int I, int Parts, int N>
TEGULA_INLINE array<std::uint32_t, N / Parts> part_of(const array<std::uint32_t, N>& words)
{
    array<std::uint32_t, N / Parts> picked;
    static_for<N / Parts>([&](auto w) { picked[w] = words[I * (N / Parts) + w]; });
    return picked;
}

} // namespace detail

/// Whether Target multiplies these types with block scales by an instruction of M rows and columns.
template <class Target, class A, class B, int M = 16>
inline constexpr bool has_scaled_mma_atom = detail::scaled_row<Target, A, B, M>::value.name != nullptr;

/// An instruction with a power-of-two scale for each 32 of k of a row of A and of a column of B (the Microscaling
/// formats): C += A B.
///
/// | target  | M = 16                                  | M = 32
/// | gfx950  | v_mfma_scale_f32_16x16x128_f8f6f4       | v_mfma_scale_f32_32x32x64_f8f6f4
/// | gfx1250 | v_wmma_scale_f32_16x16x128_f8f6f4       | v_wmma_scale_f32_32x16x128_f4, both operands of 4 bits
///
/// A, B      float8_e4m3, float8_e5m2, float6_e2m3, float6_e3m2 or float4_e2m1, in any combination
/// a_type    std::uint8_t: elements packed as in memory, the first in the low bits; encodings have k in bytes
/// scales    a register of float8_e8m0 per lane; the instruction takes one part of it
///           gfx950: a byte. Lane l has in it the scale of row (column) l % m and of block l / m of 32 k.
///           gfx1250: the lanes of half-wave h. Lane 16 h + r has the scales of row (column) r, that of the i-th
///           32 k in byte i; rows 16 to 31 of an A of 32 rows are in the other half.
///
/// k is in the instruction's own order: a permutation would mix blocks. The emulator sums a product in double and
/// rounds once; the hardware may round differently if sums are not exact.
template <class Target, class A, class B, int M = 16>
struct scaled_mma_atom
{
    static_assert(has_scaled_mma_atom<Target, A, B, M>,
                  "tegula: the target has no instruction for these types with a scale for each 32 of k; gfx950 and "
                  "gfx1250 have it for floats of 8, 6 and 4 bits of the Open Compute Project");

    using row = detail::scaled_row<Target, A, B, M>;
    using target = Target;
    using a_type = std::uint8_t;
    using b_type = std::uint8_t;
    using c_type = float;
    static constexpr int m = row::value.m;
    static constexpr int n = row::value.n;
    static constexpr int k = row::value.k; ///< in elements
    static constexpr int wave_size = row::value.wave;
    static constexpr bool is_matrix_instruction = true;
    static constexpr bool keeps_k_order = true;
    static constexpr bool truncates_sums = false;
    static constexpr bool widens_operands = false;

    using a_encoding = encoding_from<detail::stored_source<row, operand::a>>;
    using b_encoding = encoding_from<detail::stored_source<row, operand::b>>;
    using c_encoding = encoding_from<detail::stored_source<row, operand::c>>;
    static constexpr int a_count = static_cast<int>(registers_per_lane(a_encoding::raw));
    static constexpr int b_count = static_cast<int>(registers_per_lane(b_encoding::raw));
    static constexpr int c_count = static_cast<int>(registers_per_lane(c_encoding::raw));

    /// Whether a lane's register has the scales of one row along k, or of one block in each byte.
    static constexpr bool scales_along_k = row::value.family == instruction_family::wmma_gfx1250;
    /// Parts of a register of scales.
    static constexpr int a_parts = scales_along_k ? wave_size / m : 4;
    static constexpr int b_parts = scales_along_k ? wave_size / n : 4;

    /// In an instruction of gfx950: the number of the block of 32 k whose scales are in a lane's registers.
    static TEGULA_INLINE int scale_block(int lane) { return lane / m; }

    /// c += a b with parts PartA and PartB of the scales. All lanes of the wave take part.
    template <int PartA, int PartB>
    static TEGULA_INLINE void multiply(array<float, c_count>& c, const array<std::uint32_t, a_count / 4>& a,
                                       const array<std::uint32_t, b_count / 4>& b, std::uint32_t a_scales,
                                       std::uint32_t b_scales, [[maybe_unused]] call_site where = call_site::here())
    {
        static_assert(PartA >= 0 && PartA < a_parts && PartB >= 0 && PartB < b_parts,
                      "tegula: an instruction takes one of the four bytes of its registers of scales, on gfx1250 one "
                      "of the halves of the wave");
#if defined(__HIP_DEVICE_COMPILE__)
        const auto sum = internal::as_vector<float>(c);
        c = __builtin_bit_cast(array<float, c_count>,
                               internal::scaled_product<row, PartA, PartB>(a, b, sum, static_cast<int>(a_scales),
                                                                           static_cast<int>(b_scales)));
#elif !TEGULA_DEVICE_PASS
        arguments mine{&c, &a, &b, a_scales, b_scales};
        emulator::wave_operation(
            row::value.name, emulator::operation_kind::matrix, mine,
            [](arguments* const* lanes, int) { emulate<PartA, PartB>(lanes); }, where);
#endif
    }

#if !TEGULA_DEVICE_PASS
private:
    struct arguments
    {
        array<float, c_count>* c;
        const array<std::uint32_t, a_count / 4>* a;
        const array<std::uint32_t, b_count / 4>* b;
        std::uint32_t a_scales, b_scales;
    };

    /// The scale of block `block` of row (column) `i` of an operand that has `outer` of them.
    template <int Part>
    static std::uint32_t scale_of(arguments* const* lanes, std::uint32_t arguments::* scales, int outer, int i,
                                  int block)
    {
        const int lane = scales_along_k ? Part * outer + i : block * outer + i;
        return lanes[lane]->*scales >> 8 * (scales_along_k ? block : Part) & 0xff;
    }

    template <int PartA, int PartB>
    static void emulate(arguments* const* lanes)
    {
        static const detail::scaled_operand<row, A, operand::a> left;
        static const detail::scaled_operand<row, B, operand::b> right;
        static const operand_layout result = make_operand_layout(row::value, operand::c);
        static const auto places = [] {
            array<int, m * n> all{};
            for (int i = 0; i < m * n; ++i)
                all[i] = result.element(i / result.slots, i % result.slots);
            return all;
        }();
        double x[k * m], y[k * n], sums[m * n] = {};
        left.gather(
            x, [&](int lane) { return lanes[lane]->a; },
            [&](int i, int block) { return scale_of<PartA>(lanes, &arguments::a_scales, m, i, block); });
        right.gather(
            y, [&](int lane) { return lanes[lane]->b; },
            [&](int i, int block) { return scale_of<PartB>(lanes, &arguments::b_scales, n, i, block); });
        for (int depth = 0; depth < k; ++depth)
            for (int i = 0; i < m; ++i)
                for (int j = 0; j < n; ++j)
                    sums[i * n + j] += x[depth * m + i] * y[depth * n + j];
        for (int lane = 0; lane < result.lanes; ++lane)
            for (int slot = 0; slot < result.slots; ++slot) {
                float& c = (*lanes[lane]->c)[slot];
                c = static_cast<float>(static_cast<double>(c) + sums[places[lane * result.slots + slot]]);
            }
    }
#endif
};

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::part_of;
} // namespace tegula::internal
