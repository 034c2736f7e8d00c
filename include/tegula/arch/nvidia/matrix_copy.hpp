#pragma once

#include <tegula/arch/nvidia/primitives.hpp>

#if !TEGULA_DEVICE_PASS
#include <tegula/emulator/async_matrix.hpp>
#include <tegula/emulator/interface.hpp>
#endif

/// Copies of 8x8 matrices of 16-bit elements between shared memory and the registers of an NVIDIA warp (ldmatrix,
/// stmatrix; PTX ISA). A matrix is eight rows of 16 bytes, each anywhere in shared memory.
///
/// Count matrices are copied at once, 1, 2 or 4. Lane 8 i + r gives the address of row r of matrix i; addresses of
/// lanes from 8 Count on are ignored. registers[i] of lane l holds of matrix i
///
///     elements (l / 4, 2 (l % 4)) and the one right of it, low half first
///     Transposed: elements (2 (l % 4), l / 4) and the one below it

namespace tegula::arch::nvidia {

#if TEGULA_NVIDIA_PASS
#define TEGULA_1(constraint) constraint(registers[0])
#define TEGULA_2(constraint) TEGULA_1(constraint), constraint(registers[1])
#define TEGULA_4(constraint) TEGULA_2(constraint), constraint(registers[2]), constraint(registers[3])

/// The instructions of both directions that copy `count` matrices, transposed or not.
#define TEGULA_COPIES(count, transposes, form, list)                                                                   \
    if constexpr (Loads && Count == count && Transposed == transposes)                                                 \
        asm volatile("ldmatrix.sync.aligned.m8n8." form ".shared.b16 {" list "}, [%" #count "];"                       \
                     : TEGULA_##count("=r")                                                                            \
                     : "r"(address)                                                                                    \
                     : "memory");                                                                                      \
    else if constexpr (!Loads && Count == count && Transposed == transposes)                                           \
        asm volatile("stmatrix.sync.aligned.m8n8." form ".shared.b16 [%" #count "], {" list                            \
                     "};" ::TEGULA_##count("r"),                                                                       \
                     "r"(address)                                                                                      \
                     : "memory");                                                                                      \
    else

/// The instruction: registers[i] is of matrix i, whose row j lies at lane 8 i + j's `address` in shared memory.
template <bool Loads, int Count, bool Transposed>
TEGULA_INLINE void copy_matrices(array<std::uint32_t, Count>& registers, std::uint32_t address)
{
    TEGULA_COPIES(1, false, "x1", "%0")
    TEGULA_COPIES(2, false, "x2", "%0, %1")
    TEGULA_COPIES(4, false, "x4", "%0, %1, %2, %3")
    TEGULA_COPIES(1, true, "x1.trans", "%0")
    TEGULA_COPIES(2, true, "x2.trans", "%0, %1")
    TEGULA_COPIES(4, true, "x4.trans", "%0, %1, %2, %3")
    static_assert(Count == 0, "tegula: 1, 2 or 4 matrices are copied at once");
}

#undef TEGULA_COPIES
#undef TEGULA_1
#undef TEGULA_2
#undef TEGULA_4
#endif

#if !TEGULA_DEVICE_PASS
namespace emulated {

/// Exchanges the registers of a warp with the matrices' rows, both ways. Host only.
template <int Count, bool Transposed>
struct matrix_copy
{
    std::uint16_t row[8];
    array<std::uint32_t, Count> registers;

    /// Calls f(rows[i][r][c], lane, i, half) for every element.
    template <class F>
    static void for_each(F&& f)
    {
        for (int matrix = 0; matrix < Count; ++matrix)
            for (int lane = 0; lane < 32; ++lane)
                for (int half = 0; half < 2; ++half) {
                    const int outer = lane / 4;
                    const int inner = lane % 4 * 2 + half;
                    f(8 * matrix + (Transposed ? inner : outer), Transposed ? outer : inner, lane, matrix, half);
                }
    }

    /// Exchanges between what the lanes hold of rows and of registers.
    static void exchange(const char* name, matrix_copy& mine, bool to_registers, const call_site& where)
    {
        tegula::emulator::internal::lane_state& me = *emulator::internal::current_lane;
        me.wave->arguments[me.lane] = &mine;
        emulator::internal::with_whole_wave(name, where, [to_registers](emulator::internal::lane_state& last) {
            const auto of = [&](int lane) { return static_cast<matrix_copy*>(last.wave->arguments[lane]); };
            for_each([&](int row_lane, int column, int lane, int matrix, int half) {
                std::uint16_t& element = of(row_lane)->row[column];
                std::uint32_t& word = of(lane)->registers[matrix];
                if (to_registers)
                    word = half == 0 ? element : word | static_cast<std::uint32_t>(element) << 16;
                else
                    element = static_cast<std::uint16_t>(word >> 16 * half);
            });
        });
    }
};

} // namespace emulated
#endif

/// Reads matrices; `row`: the row this lane addresses, at a multiple of 16 bytes.
template <int Count, bool Transposed = false>
TEGULA_INLINE array<std::uint32_t, Count> load_matrices(const void* row,
                                                        [[maybe_unused]] call_site where = call_site::here())
{
    static_assert(Count == 1 || Count == 2 || Count == 4, "tegula: 1, 2 or 4 matrices are copied at once");
#if TEGULA_NVIDIA_PASS
    array<std::uint32_t, Count> registers;
    copy_matrices<true, Count, Transposed>(registers, static_cast<std::uint32_t>(__cvta_generic_to_shared(row)));
    return registers;
#elif !TEGULA_DEVICE_PASS
    emulated::matrix_copy<Count, Transposed> mine;
    emulator::load_shared<16>(mine.row, row, emulator::lane_id() < 8 * Count, where);
    mine.exchange("ldmatrix", mine, true, where);
    return mine.registers;
#else
    return {};
#endif
}

/// Writes matrices, from sm_90 on.
template <int Count, bool Transposed = false>
TEGULA_INLINE void store_matrices(void* row, const array<std::uint32_t, Count>& registers,
                                  [[maybe_unused]] call_site where = call_site::here())
{
    static_assert(Count == 1 || Count == 2 || Count == 4, "tegula: 1, 2 or 4 matrices are copied at once");
#if TEGULA_NVIDIA_PASS
    array<std::uint32_t, Count> copy = registers;
    copy_matrices<false, Count, Transposed>(copy, static_cast<std::uint32_t>(__cvta_generic_to_shared(row)));
#elif !TEGULA_DEVICE_PASS
    emulated::matrix_copy<Count, Transposed> mine;
    mine.registers = registers;
    mine.exchange("stmatrix", mine, false, where);
    emulator::store_shared<16>(row, mine.row, emulator::lane_id() < 8 * Count, where);
#endif
}

} // namespace tegula::arch::nvidia
