#pragma once

#include <tegula/arch/nvidia/primitives.hpp>

/// Elements of 8 bits, four in a register of an NVIDIA lane.

namespace tegula::arch::nvidia {

/// Four bytes of two words: byte i of the result is byte (Bytes >> 4 * i & 7) of the eight bytes of `low` and then
/// `high` (prmt, PTX ISA).
template <std::uint32_t Bytes>
TEGULA_INLINE std::uint32_t pick_bytes(std::uint32_t low, std::uint32_t high)
{
#if TEGULA_NVIDIA_PASS
    return __byte_perm(low, high, Bytes);
#else
    return host_pick_bytes(Bytes, low, high);
#endif
}

} // namespace tegula::arch::nvidia
