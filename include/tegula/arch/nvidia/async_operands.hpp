#pragma once

#include <tegula/arch/nvidia/primitives.hpp>
#include <tegula/core/static_for.hpp>

/// Operands of matrix instructions that run asynchronously: places in shared memory, and registers that stay where
/// they are.

namespace tegula::arch::nvidia {

/// A place in the block's shared memory as matrix descriptors name it, in bytes below 2^18 (PTX ISA,
/// "matrix-descriptor-encode"). `alignment`: what the place is a multiple of; the emulator reports one that is not.
TEGULA_INLINE std::uint64_t shared_address(const void* shared, [[maybe_unused]] int alignment)
{
#if TEGULA_NVIDIA_PASS
    return __cvta_generic_to_shared(shared) & 0x3ffff; // in clusters the block's rank lies from bit 24 on
#elif !TEGULA_DEVICE_PASS
    const auto at = static_cast<const std::byte*>(shared) - emulation::shared_memory();
    if (at % alignment != 0)
        emulation::fail("a tile that a matrix instruction reads does not start at a multiple of its swizzle's pattern",
                        "place it at a multiple of its operand type's `alignment` bytes");
    return static_cast<std::uint64_t>(at);
#else
    return reinterpret_cast<std::uintptr_t>(shared);
#endif
}

/// Ties registers to this place in the program: the compiler neither moves nor copies them across.
/// An array, an array of arrays, or a register.
template <class T>
TEGULA_INLINE void pin_registers([[maybe_unused]] T& registers)
{
#if TEGULA_NVIDIA_PASS
    if constexpr (requires { registers.size(); }) {
        if constexpr (sizeof(registers[0]) < 4) {
            auto& words = reinterpret_cast<array<std::uint32_t, sizeof(T) / 4>&>(registers);
            pin_registers(words);
        } else {
            static_for<T::size()>([&](auto i) { pin_registers(registers[i]); });
        }
    } else if constexpr (std::is_same_v<T, float>) {
        asm volatile("" : "+f"(registers)::"memory");
    } else {
        asm volatile("" : "+r"(registers)::"memory");
    }
#endif
}

} // namespace tegula::arch::nvidia
