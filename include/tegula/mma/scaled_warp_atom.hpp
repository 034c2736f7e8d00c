#pragma once

#include <tegula/mma/scaled_atom.hpp>
#include <tegula/mma/table/table_nvidia.hpp>

namespace tegula {

namespace detail {

/// The row for A and B with a scale for each `block` elements. A byte has two elements if both have 4 bits, else one.
constexpr instruction find_scaled_warp_row(gpu_arch arch, element_kind a, element_kind b, int block)
{
    const bool packed = info(a).bits == 4 && info(b).bits == 4;
    for (const instruction& i : instruction_rows::nvidia)
        if (scaled_block(i) == block && i.a == a && i.b == b && (i.input_slot_bits == 0) == packed &&
            available_on(i, arch))
            return i;
    return {};
}

template <class Target, class FormatA, class FormatB>
struct scaled_warp_row
{
    static constexpr instruction value =
        FormatA::has_tensor_scale == FormatB::has_tensor_scale
            ? find_scaled_warp_row(arch_of<Target>(), scaled_kind<typename FormatA::element_type>(),
                                   scaled_kind<typename FormatB::element_type>(), FormatA::block)
            : instruction{};
};

} // namespace detail

/// Whether a warp of Target multiplies operands of these formats (mx_format, nvfp4_format) with their block scales.
template <class Target, class FormatA, class FormatB>
inline constexpr bool has_scaled_warp_atom =
    Target::chip().vendor == vendor::nvidia && detail::scaled_warp_row<Target, FormatA, FormatB>::value.name != nullptr;

/// sm_120a's mma.sync with block scales (PTX ISA 9.0, 9.7.14.3): C += A B. Each block along k of a row of A and of a
/// column of B has its own scale.
///
/// FormatA, FormatB  mx_format of any two element types, or both nvfp4_format
/// a_type            std::uint8_t: two elements, the first in the low bits, if both operands have 4 bits. Else one
///                   element: 8 bits, 6 in the low bits, or 4 in bits 2 to 5. Encodings have k in bytes, 32 of them.
/// scales            float8_e8m0 or float8_ue4m3: the `scales` scales of a row are bytes of a register from byte Byte
///                   on, a multiple of their number. Lane 4 q + 2 AThread has those of row q of A, the next lane those
///                   of row q + 8; lane 4 q + BThread those of column q of B. So one register serves two tiles of rows,
///                   or four of columns, and 4 / scales instructions along k. (Table 37 there.)
///
/// k is in the instruction's own order: a permutation would mix blocks. The emulator sums a product in double and
/// rounds once; the hardware may round differently if sums are not exact.
template <class Target, class FormatA, class FormatB>
struct scaled_warp_atom
{
    static_assert(
        has_scaled_warp_atom<Target, FormatA, FormatB>,
        "tegula: a warp of the target has no product of these formats with block scales; sm_120a has it for the "
        "Microscaling formats, each with each, and for NVFP4 with NVFP4");

    using row = detail::scaled_warp_row<Target, FormatA, FormatB>;
    using target = Target;
    using a_type = std::uint8_t;
    using b_type = std::uint8_t;
    using c_type = float;
    static constexpr int m = row::value.m;
    static constexpr int n = row::value.n;
    static constexpr int k = row::value.k; ///< in elements
    static constexpr int scales = k / FormatA::block;
    static constexpr int wave_size = row::value.wave;
    static constexpr bool is_matrix_instruction = true;
    static constexpr bool keeps_k_order = false;
    static constexpr bool truncates_sums = false;
    static constexpr bool widens_operands = false;
    static constexpr bool packed = row::value.input_slot_bits == 0; ///< two elements per byte

    using a_encoding = encoding_from<detail::stored_source<row, operand::a>>;
    using b_encoding = encoding_from<detail::stored_source<row, operand::b>>;
    using c_encoding = encoding_from<detail::stored_source<row, operand::c>>;
    static constexpr int a_count = static_cast<int>(registers_per_lane(a_encoding::raw));
    static constexpr int b_count = static_cast<int>(registers_per_lane(b_encoding::raw));
    static constexpr int c_count = static_cast<int>(registers_per_lane(c_encoding::raw));

    /// c += a b with the scales from byte Byte on of both registers. All lanes of the warp take part.
    template <int Byte, int AThread, int BThread>
    static TEGULA_INLINE void multiply(array<float, c_count>& c, const array<std::uint32_t, a_count / 4>& a,
                                       const array<std::uint32_t, b_count / 4>& b, std::uint32_t a_scales,
                                       std::uint32_t b_scales, [[maybe_unused]] call_site where = call_site::here())
    {
        static_assert(Byte >= 0 && Byte < 4 && Byte % scales == 0 && AThread >= 0 && AThread < 2 && BThread >= 0 &&
                          BThread < 4,
                      "tegula: an instruction's scales start at a multiple of their number in a register of one of two "
                      "lanes for A, of one of four for B");
#if defined(__CUDA_ARCH__)
        internal::scaled_mma_sync<row, Byte, AThread, Byte, BThread>(c, a, b, a_scales, b_scales);
#elif !TEGULA_DEVICE_PASS
        arguments mine{&c, &a, &b, a_scales >> 8 * Byte, b_scales >> 8 * Byte};
        emulator::wave_operation(
            row::value.name, emulator::operation_kind::matrix, mine,
            [](arguments* const* lanes, int) { emulate<AThread, BThread>(lanes); }, where);
#endif
    }

#if !TEGULA_DEVICE_PASS
private:
    using scale_type = typename FormatA::scale_type;

    struct arguments
    {
        array<float, c_count>* c;
        const array<std::uint32_t, a_count / 4>* a;
        const array<std::uint32_t, b_count / 4>* b;
        std::uint32_t a_scales, b_scales;
    };

    /// to[row * k + depth] (column of B): elements times scales, from bytes_of(lane) and scales_of(row).
    template <operand Which, class BytesOf, class ScalesOf>
    static void gather(double* to, const BytesOf& bytes_of, const ScalesOf& scales_of)
    {
        static const operand_layout layout = make_operand_layout(row::value, Which);
        constexpr element_kind kind = Which == operand::a ? row::value.a : row::value.b;
        for (int lane = 0; lane < layout.lanes; ++lane)
            for (int slot = 0; slot < layout.slots; ++slot) {
                const int at = layout.element(lane, slot);
                const int outer = Which == operand::a ? at / k : at % n, depth = Which == operand::a ? at % k : at / n;
                const auto pattern = emulation::read_slot(bytes_of(lane), 4 * layout.registers, slot, layout.slot_bits);
                const std::uint32_t scale = scales_of(outer) >> 8 * (depth / FormatA::block) & 0xff;
                to[outer * k + depth] = emulation::decode_slot(kind, layout.slot_bits, pattern) *
                                        static_cast<double>(static_cast<float>(scale_type::from_bits(scale)));
            }
    }

    template <int AThread, int BThread>
    static void emulate(arguments* const* lanes)
    {
        static const operand_layout result = make_operand_layout(row::value, operand::c);
        double x[m * k], y[n * k];
        gather<operand::a>(
            x, [&](int lane) { return lanes[lane]->a; },
            [&](int i) { return lanes[i % 8 * 4 + 2 * AThread + i / 8]->a_scales; });
        gather<operand::b>(
            y, [&](int lane) { return lanes[lane]->b; }, [&](int j) { return lanes[4 * j + BThread]->b_scales; });
        for (int lane = 0; lane < result.lanes; ++lane)
            for (int slot = 0; slot < result.slots; ++slot) {
                const int at = result.element(lane, slot);
                double sum = 0;
                for (int depth = 0; depth < k; ++depth)
                    sum += x[at / n * k + depth] * y[at % n * k + depth];
                float& c = (*lanes[lane]->c)[slot];
                c = static_cast<float>(static_cast<double>(c) + sum);
            }
    }
#endif
};

} // namespace tegula
