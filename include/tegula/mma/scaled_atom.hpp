#pragma once

#include <tegula/core/block_scale.hpp>
#include <tegula/mma/element_type.hpp>
#include <tegula/mma/instruction_atom.hpp>
#include <tegula/mma/table/table_amd.hpp>
#include <tegula/mma/target_arch.hpp>

namespace tegula {

namespace detail {

/// The element types of gfx950's f8f6f4 instructions; kind_of_type has only those that fill bytes.
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

/// A lane's bytes of an operand, unpacked by the instruction's own layout. Host only.
#if !TEGULA_DEVICE_PASS
template <class Row, class T, operand Which>
struct scaled_operand
{
    static constexpr int bits = T::format::width;
    static constexpr int outer = Row::value.m, k = Row::value.k;

    double value[1 << bits];
    operand_layout layout = make_operand_layout(Row::value, Which);
    std::uint16_t place[64 * 32]; ///< of a slot in the matrix, slots of a lane together

    scaled_operand()
    {
        for (int lane = 0; lane < layout.lanes; ++lane)
            for (int slot = 0; slot < layout.slots; ++slot)
                place[lane * layout.slots + slot] = static_cast<std::uint16_t>(layout.element(lane, slot));
        for (int pattern = 0; pattern < 1 << bits; ++pattern)
            value[pattern] = static_cast<double>(static_cast<float>(T::from_bits(static_cast<std::uint32_t>(pattern))));
    }

    /// to[k][row] (column of B): elements times scales. bytes_of(lane), scale_of(lane)
    template <class BytesOf, class ScaleOf>
    void gather(double* to, const BytesOf& bytes_of, const ScaleOf& scale_of) const
    {
        double scales[64];
        for (int lane = 0; lane < 64; ++lane)
            scales[lane] = static_cast<double>(float8_e8m0::from_bits(scale_of(lane)));
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

} // namespace detail

/// Whether Target multiplies these types with block scales by an instruction of M rows and columns.
template <class Target, class A, class B, int M = 16>
inline constexpr bool has_scaled_mma_atom = detail::scaled_row<Target, A, B, M>::value.name != nullptr;

/// gfx950's v_mfma_scale_f32_16x16x128_f8f6f4, of 32 rows 32x32x64: C += A B, each 32 of k of a row of A and of a column
/// of B with a scale of their own, a power of two (the Microscaling formats).
///
/// A, B      float8_e4m3, float8_e5m2, float6_e2m3, float6_e3m2 or float4_e2m1, each of either
/// a_type    std::uint8_t: elements packed as in memory, the first in the low bits; encodings have k in bytes
/// scales    a register a lane: lane l has those of row (column) l % m and block l / m of 32 k, a float8_e8m0 in each
///           byte; the instruction takes one of the four
///
/// k is in the instruction's own order: a permutation would mix blocks. In emulation a product is summed in double and
/// rounded once; the hardware may round otherwise where sums are not exact.
template <class Target, class A, class B, int M = 16>
struct scaled_mma_atom
{
    static_assert(has_scaled_mma_atom<Target, A, B, M>,
                  "tegula: the target has no instruction for these types with a scale for each 32 of k; gfx950 has it "
                  "for floats of 8, 6 and 4 bits of the Open Compute Project");

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

    using a_encoding = encoding_from<detail::stored_source<row, operand::a>>;
    using b_encoding = encoding_from<detail::stored_source<row, operand::b>>;
    using c_encoding = encoding_from<detail::stored_source<row, operand::c>>;
    static constexpr int a_count = static_cast<int>(registers_per_lane(a_encoding::raw));
    static constexpr int b_count = static_cast<int>(registers_per_lane(b_encoding::raw));
    static constexpr int c_count = static_cast<int>(registers_per_lane(c_encoding::raw));

    /// Of the 32 k whose scales are in a lane's registers, the number in an instruction.
    static TEGULA_INLINE int scale_block(int lane) { return lane / m; }

    /// c += a b with bytes ByteA and ByteB of the scales. All lanes of the wave take part.
    template <int ByteA, int ByteB>
    static TEGULA_INLINE void multiply(array<float, c_count>& c, const array<std::uint32_t, a_count / 4>& a,
                                       const array<std::uint32_t, b_count / 4>& b, std::uint32_t a_scales,
                                       std::uint32_t b_scales, [[maybe_unused]] call_site where = call_site::here())
    {
#if defined(__HIP_DEVICE_COMPILE__)
        const auto sum = detail::as_vector<float>(c);
        c = __builtin_bit_cast(
            array<float, c_count>,
            detail::mfma_f8f6f4<row, ByteA, ByteB>(a, b, sum, static_cast<int>(a_scales), static_cast<int>(b_scales)));
#elif !TEGULA_DEVICE_PASS
        arguments mine{&c, &a, &b, a_scales >> 8 * ByteA & 0xff, b_scales >> 8 * ByteB & 0xff};
        emulator::wave_operation(
            row::value.name, emulator::operation_kind::matrix, mine,
            [](arguments* const* lanes, int) { emulate(lanes); }, where);
#endif
    }

#if !TEGULA_DEVICE_PASS
private:
    struct arguments
    {
        array<float, c_count>* c;
        const array<std::uint32_t, a_count / 4>* a;
        const array<std::uint32_t, b_count / 4>* b;
        std::uint32_t a_scale, b_scale;
    };

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
        left.gather(x, [&](int lane) { return lanes[lane]->a; }, [&](int lane) { return lanes[lane]->a_scale; });
        right.gather(y, [&](int lane) { return lanes[lane]->b; }, [&](int lane) { return lanes[lane]->b_scale; });
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
