#pragma once

#include <tegula/arch/gpu_target.hpp>
#include <tegula/layout/encoding.hpp>
#include <tegula/mma/device/device_amd.hpp>
#include <tegula/mma/device/device_nvidia.hpp>
#include <tegula/mma/element_type.hpp>
#include <tegula/mma/table/operand_encoding.hpp>
#include <tegula/mma/table/table_amd.hpp>
#include <tegula/mma/table/table_nvidia.hpp>
#include <tegula/mma/table/table_x86.hpp>
#include <tegula/mma/target_arch.hpp>

#if !TEGULA_DEVICE_PASS
#include <tegula/emulator/interface.hpp>
#include <tegula/mma/emulation/emulate.hpp>
#endif

namespace tegula {

namespace detail {

/// A kernel's request for an instruction of one block with results of 32 or 64 bits.
struct atom_request
{
    gpu_arch arch;
    int wave;
    element_kind a, b, c;
    int m, n, k;

    constexpr bool fits(const instruction& i) const { return i.k == k && fits_with_any_k(i); }
    constexpr bool fits_with_any_k(const instruction& i) const
    {
        return i.blocks == 1 && i.wave == wave && i.m == m && i.n == n && i.c == c && is_operand_of(a, i.a) &&
               is_operand_of(b, i.b) && i.input_slot_bits == 0 && !i.block_scaled &&
               kind_of(i) == instruction_kind::mma && available_on(i, arch);
    }
};

/// Rows of the table of instructions, for range-based loops.
struct instruction_range
{
    const instruction* first;
    const instruction* last;

    template <int N>
    constexpr instruction_range(const instruction (&rows)[N]) : first(rows), last(rows + N)
    {}
    constexpr const instruction* begin() const { return first; }
    constexpr const instruction* end() const { return last; }
};

/// The vendor's instructions of one wave; wgmma has a table of its own.
constexpr instruction_range instructions_of_vendor(gpu_arch arch)
{
    return is_amd(arch)   ? instruction_range(instruction_rows::amd)
           : is_x86(arch) ? instruction_range(instruction_rows::x86)
                          : instruction_range(instruction_rows::nvidia);
}

/// The row for the request; its name is null if there is none.
constexpr instruction find_row(const atom_request& wanted)
{
    for (const instruction& i : instructions_of_vendor(wanted.arch))
        if (wanted.fits(i))
            return i;
    return {};
}

template <class Target, class A, class B, class C, int M, int N, int K>
constexpr instruction find_row()
{
    return find_row(atom_request{arch_of<Target>(), Target::wave_size, kind_of_type<A>(), kind_of_type<B>(),
                                 kind_of_type<C>(), M, N, K});
}

/// The encoding of an operand. encoding_from makes its type from integers only: instructions of one layout share it.
template <class Row, operand Which>
struct operand_source
{
    static constexpr encoding_value raw = operand_encoding(Row::value, Which);
};

template <class Target, class A, class B, class C, int M, int N, int K>
struct atom_row
{
    static constexpr instruction value = find_row<Target, A, B, C, M, N, K>();
};

} // namespace detail

/// Whether Target has a matrix instruction of this shape and these types (A and B inputs, C accumulator).
template <class Target, class A, class B, class C, int M, int N, int K>
inline constexpr bool has_mma_atom = detail::atom_row<Target, A, B, C, M, N, K>::value.name != nullptr;

/// One matrix instruction of a wave: C += A B with A [m, k], B [k, n], C [m, n] spread over the lanes' registers by
/// the three encodings.
///
/// a_type, b_type, c_type     element types; tfloat32 feeds tf32 and xf32 instructions
/// a_count, b_count, c_count  registers of one lane, in elements
/// a_encoding, ...            one P, the lane; Y in register order
/// least_input                inputs of smaller magnitude count as zero; 0 if subnormals are kept
/// truncates_sums             whether a GPU's accumulators keep 13 bits after the leading one
/// widens_operands            whether operands of 8 bits become numbers of 16 bits first, in other registers
///
/// Sums: the emulator adds the products in ascending k, from zero, rounding each, and adds the sum to C once; a GPU may
/// round differently. 32-bit integers wrap.
template <class Target, class A, class B, class C, int M, int N, int K>
struct mma_atom
{
    using row = detail::atom_row<Target, A, B, C, M, N, K>;
    static_assert(has_mma_atom<Target, A, B, C, M, N, K>,
                  "tegula: the target has no matrix instruction of this shape and these types; has_mma_atom tells, "
                  "fma_atom works for every type");

    using target = Target;
    using a_type = A;
    using b_type = B;
    using c_type = C;
    static constexpr int m = M;
    static constexpr int n = N;
    static constexpr int k = K;
    static constexpr int wave_size = Target::wave_size;
    static constexpr bool is_matrix_instruction = true;
    static constexpr bool keeps_k_order = false;
    static constexpr element_kind a_kind = kind_of_type<A>();
    static constexpr element_kind b_kind = kind_of_type<B>();
    static constexpr instruction_family family = row::value.family;
    static constexpr double least_input = tegula::least_input(arch_of<Target>(), a_kind);
    static constexpr bool truncates_sums = tegula::truncates_sums(arch_of<Target>(), a_kind);
    static constexpr bool widens_operands = tegula::widens_operands(arch_of<Target>(), a_kind);

    using a_encoding = encoding_from<detail::operand_source<row, operand::a>>;
    using b_encoding = encoding_from<detail::operand_source<row, operand::b>>;
    using c_encoding = encoding_from<detail::operand_source<row, operand::c>>;
    static constexpr int a_count = static_cast<int>(registers_per_lane(a_encoding::raw));
    static constexpr int b_count = static_cast<int>(registers_per_lane(b_encoding::raw));
    static constexpr int c_count = static_cast<int>(registers_per_lane(c_encoding::raw));

    /// c += a b. All lanes of the wave take part.
    static TEGULA_INLINE void multiply(array<C, c_count>& c, const array<A, a_count>& a, const array<B, b_count>& b,
                                       [[maybe_unused]] call_site where = call_site::here())
    {
#if defined(__HIP_DEVICE_COMPILE__)
        constexpr bool a_signed = a_kind != element_kind::u8, b_signed = b_kind != element_kind::u8;
        internal::issue_on_amd<row, a_signed, b_signed>(c, a, b);
#elif defined(__CUDA_ARCH__)
        internal::issue_on_nvidia<row>(c, a, b);
#else
        emulation::arguments<mma_atom> mine{&c, &a, &b};
        if constexpr (is_native_cpu<Target>) { // one lane: plain arithmetic
            emulation::arguments<mma_atom>* const lanes[] = {&mine};
            emulate(lanes);
            return;
        }
        emulator::wave_operation(
            name.c_str(), emulator::operation_kind::matrix, mine,
            [](emulation::arguments<mma_atom>* const* lanes, int) { emulate(lanes); }, where);
#endif
    }

    /// multiply() with operands in registers of 32 bits. nvcc 13 splits an array of bytes for compute_100 and above, and puts
    /// the bytes together again with several instructions each. Below, words take more registers (fp8, 128x256, sm_89).
    template <int CountA, int CountB>
        requires(Target::chip().compute_capability >= 100)
    static TEGULA_INLINE void multiply_words(array<C, c_count>& c, const array<std::uint32_t, CountA>& a,
                                             const array<std::uint32_t, CountB>& b)
    {
#if defined(__CUDA_ARCH__)
        static_assert(4 * CountA == sizeof(array<A, a_count>) && 4 * CountB == sizeof(array<B, b_count>));
        internal::issue_on_nvidia<row>(c, a, b);
#else
        multiply(c, __builtin_bit_cast(array<A, a_count>, a), __builtin_bit_cast(array<B, b_count>, b));
#endif
    }

    /// The instruction's name in the table.
    static constexpr instruction_name name = name_of(row::value);

#if !TEGULA_DEVICE_PASS
    /// The emulation of multiply(), for all lanes at once.
    static void emulate(emulation::arguments<mma_atom>* const* lanes)
    {
        if constexpr (replication(a_encoding::raw) > 1)
            if (emulator::checks_enabled())
                check_copies(lanes);
        emulation::emulate<mma_atom>(lanes);
    }

private:
    static void check_copies(emulation::arguments<mma_atom>* const* lanes)
    {
        if (!emulation::copies_agree<a_encoding>([&](int lane) { return lanes[lane]->a; }) ||
            !emulation::copies_agree<b_encoding>([&](int lane) { return lanes[lane]->b; }))
            emulation::fail_unequal_copies();
    }
#endif
};

} // namespace tegula
