#pragma once

#include <tegula/arch/nvidia/matrix_copy.hpp>

namespace tegula::arch::nvidia {

/// Reads four matrices of 8 rows of 16 elements of Bits (4 or 6) from shared memory, on sm_100a, sm_103a and sm_120a
/// (PTX ISA 9.0, "ldmatrix", .m8n16). A row is 16 bytes that begin with the packed elements, as tensor copies of
/// tensor_element::u4_align16 and u6_align16 leave them. Lane 8 i + r gives the address of row r of matrix i.
/// registers[i] of lane l holds elements 4 (l % 4) and the three after it of row l / 4, each in the low bits of a byte.
template <int Bits>
TEGULA_INLINE array<std::uint32_t, 4> load_narrow_matrices(const void* row,
                                                           [[maybe_unused]] call_site where = call_site::here())
{
    static_assert(Bits == 4 || Bits == 6, "tegula: elements of 4 or 6 bits are widened to bytes");
    array<std::uint32_t, 4> registers{};
#if TEGULA_NVIDIA_PASS
    const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
    if constexpr (Bits == 4)
        asm volatile("ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b4x16_p64 {%0, %1, %2, %3}, [%4];"
                     : "=r"(registers[0]), "=r"(registers[1]), "=r"(registers[2]), "=r"(registers[3])
                     : "r"(address)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b6x16_p32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(registers[0]), "=r"(registers[1]), "=r"(registers[2]), "=r"(registers[3])
                     : "r"(address)
                     : "memory");
#elif !TEGULA_DEVICE_PASS
    std::uint8_t packed[16];
    emulator::load_shared<16>(packed, row, true, where);
    emulated::matrix_copy<4, false> mine;
    const auto element = [&](int i) {
        const int bit = i * Bits;
        const unsigned pair = packed[bit / 8] | static_cast<unsigned>(packed[bit / 8 + 1]) << 8;
        return pair >> bit % 8 & ((1u << Bits) - 1);
    };
    for (int i = 0; i < 8; ++i)
        mine.row[i] = static_cast<std::uint16_t>(element(2 * i) | element(2 * i + 1) << 8);
    mine.exchange("ldmatrix", mine, true, where);
    registers = mine.registers;
#endif
    return registers;
}

} // namespace tegula::arch::nvidia
