#pragma once

#include <tegula/arch/nvidia/wgmma.hpp>
#include <tegula/layout/encoding.hpp>
#include <tegula/mma/device/device_wgmma.hpp>
#include <tegula/mma/element_type.hpp>
#include <tegula/mma/table/operand_encoding.hpp>
#include <tegula/mma/table/table_nvidia.hpp>
#include <tegula/mma/target_arch.hpp>
#include <tegula/mma/wgmma_operand.hpp>

#if !TEGULA_DEVICE_PASS
#include <tegula/mma/emulation/emulate_wgmma.hpp>
#endif

namespace tegula {

namespace detail {

/// The row of the instruction; its name is null if there is none.
constexpr instruction find_wgmma(gpu_arch arch, element_kind a, element_kind b, element_kind c, int n)
{
    for (instruction i : instruction_rows::wgmma_forms)
        if (available_on(i, arch) && i.a == a && i.b == b && i.c == c && instruction_rows::has_wgmma_n(i, n)) {
            i.n = n;
            return i;
        }
    return {};
}

/// The digit of the lane number that counts the warps, the most significant, as a P of its own.
constexpr encoding_value split_warps(encoding_value e)
{
    const encoding_value::digits_type all = e.ps[0];
    e.ps = {encoding_value::digits_type{all[0]}, encoding_value::digits_type{}};
    for (int i = 1; i < all.size(); ++i)
        e.ps[1].push_back(all[i]);
    return e;
}

/// The quarter of one warp: the encoding without the digit that counts warps.
constexpr encoding_value one_warp(encoding_value e)
{
    const rh_digit warps = e.ps[0][0];
    e.lengths(warps.major)[warps.minor] = 1;
    return e;
}

template <class Row, operand Which>
struct warpgroup_source
{
    static constexpr encoding_value raw = split_warps(operand_encoding(Row::value, Which));
    static constexpr const encoding_value& value = raw;
};
template <class Row, operand Which>
struct warp_source
{
    static constexpr encoding_value raw = one_warp(operand_encoding(Row::value, Which));
};

template <class Target, class A, class B, class C, int N>
struct wgmma_row
{
    static constexpr instruction value =
        find_wgmma(arch_of<Target>(), kind_of_type<A>(), kind_of_type<B>(), kind_of_type<C>(), N);
};

} // namespace detail

/// Whether Target has a wgmma of these types and this n. Types: half, bfloat16, tfloat32, float8_e4m3 and float8_e5m2
/// (mixed too), int8 and uint8 (mixed too); C float, for half and the 8-bit floats also half, for integers int32.
template <class Target, class A, class B, class C, int N>
inline constexpr bool has_wgmma = detail::wgmma_row<Target, A, B, C, N>::value.name != nullptr;

/// One matrix instruction of a warpgroup: C (+)= A B with A [64, k], B [k, N], C [64, N]; k takes 32 bytes.
///
/// A is in shared memory or in registers, B in shared memory; wgmma_operand makes the descriptors. OrderA and OrderB
/// are the operands' `major` (OrderA is ignored if A is in registers).
///
/// The product runs asynchronously, see arch/nvidia/wgmma.hpp: from the first multiply() until the wait, accumulators
/// stay in fixed registers of their own and the program does not touch them. This also holds for registers of A.
///
///     wgmma_fence(c);
///     for (...) atom::multiply(c, a_descriptor + a_tile::part<0, k>(), b_descriptor + b_tile::part<0, k>(), ...);
///     wgmma_commit();
///     wgmma_wait<0>(c);
///
/// Encodings: P is {warp of the warpgroup, lane}; Y in register order. a_encoding [64, k], c_encoding [64, N].
/// Sums are as in mma_atom. The emulator rounds half accumulators once per instruction.
template <class Target, class A, class B, class C, int N, operand_order OrderA = operand_order::k_contiguous,
          operand_order OrderB = operand_order::k_contiguous>
struct wgmma_atom
{
    using row = detail::wgmma_row<Target, A, B, C, N>;
    static_assert(has_wgmma<Target, A, B, C, N>,
                  "tegula: the target has no wgmma of these types and this n; n is a multiple of 8 up to 256, of 16 "
                  "for integers from 32 on");
    static_assert((sizeof(A) == 2 || OrderA == operand_order::k_contiguous) &&
                      (sizeof(B) == 2 || OrderB == operand_order::k_contiguous),
                  "tegula: wgmma transposes operands of 16-bit elements only; keep others contiguous along k");

    using target = Target;
    using a_type = A;
    using b_type = B;
    using c_type = C;
    static constexpr int m = 64;
    static constexpr int n = N;
    static constexpr int k = row::value.k;
    static constexpr int warps = 4;
    static constexpr operand_order order_a = OrderA;
    static constexpr operand_order order_b = OrderB;

    using a_encoding = encoding_from<detail::warpgroup_source<row, operand::a>>;
    using c_encoding = encoding_from<detail::warpgroup_source<row, operand::c>>;
    using a_warp_encoding = encoding_from<detail::warp_source<row, operand::a>>; ///< A of one warp, [16, k]
    using c_warp_encoding = encoding_from<detail::warp_source<row, operand::c>>; ///< C of one warp, [16, N]
    static constexpr int a_count = 16 / static_cast<int>(sizeof(A));             ///< elements per lane
    static constexpr int c_count = N / 2;
    using a_registers = array<A, a_count>;
    using accumulators = array<C, c_count>;

    /// c = a b + (accumulate ? c : 0). All lanes of the warpgroup take part, with the same descriptors.
    static TEGULA_INLINE void multiply(accumulators& c, std::uint64_t a, std::uint64_t b, bool accumulate,
                                       [[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_WGMMA_PASS
        issue_wgmma::template issue<internal::wgmma_text<wgmma_atom, true>>(words_of(c), a, b,
                                                                            static_cast<int>(accumulate));
#elif !TEGULA_DEVICE_PASS
        issue<true>({&c, a, nullptr, b, accumulate}, where);
#endif
    }
    static TEGULA_INLINE void multiply(accumulators& c, const a_registers& a, std::uint64_t b, bool accumulate,
                                       [[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_WGMMA_PASS
        issue_wgmma::template issue<internal::wgmma_text<wgmma_atom, false>>(
            words_of(c), __builtin_bit_cast(array<std::uint32_t, 4>, a), b, static_cast<int>(accumulate));
#elif !TEGULA_DEVICE_PASS
        issue<false>({&c, 0, &a, b, accumulate}, where);
#endif
    }

    /// The instruction's name in the table.
    static constexpr instruction_name name = name_of(row::value);

private:
#if TEGULA_WGMMA_PASS
    using issue_wgmma = internal::wgmma_of<sizeof(accumulators) / 4>;

    /// The accumulators as the instruction takes them: floats, or whole registers.
    static TEGULA_INLINE auto& words_of(accumulators& c)
    {
        if constexpr (std::is_same_v<C, float>)
            return c;
        else
            return reinterpret_cast<array<std::uint32_t, sizeof(accumulators) / 4>&>(c);
    }
#endif
#if !TEGULA_DEVICE_PASS
    template <bool AInShared>
    static void issue(emulation::wgmma_arguments<wgmma_atom> mine, const call_site& where)
    {
        using warp = emulation::wgmma_of_warp<wgmma_atom, AInShared>;
        using arguments = emulation::wgmma_arguments<wgmma_atom>;
        warp part;
        emulator::issue_async_matrix<warp::result_bytes>(
            name.c_str(), mine,
            [&](arguments* const* lanes, emulator::async_matrix& operation) { part.describe(lanes, operation); },
            [&](arguments* const* lanes, const emulator::async_matrix& operation, std::byte* results) {
                part.compute(lanes, operation, results);
            },
            where);
    }
#endif
};

} // namespace tegula
