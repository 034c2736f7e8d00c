#pragma once

#include <tegula/arch/nvidia/tensor_memory.hpp>
#include <tegula/mma/tcgen05_operand.hpp>

#if !TEGULA_DEVICE_PASS
#include <tegula/mma/emulation/copy_tcgen05.hpp>
#endif

namespace tegula {

/// Copies from shared memory to tensor memory (tcgen05.cp). The lane that issues the products issues it: later products
/// read the new words. A commit must have told the lane that the old words are no longer read. With Blocks 2 one lane
/// of a pair starts the copies of both blocks, each from its own shared memory.
///
/// The descriptor names rows of 16 bytes, or two such chunks, without a swizzle: 8 rows are 128 contiguous bytes.
template <tensor_copy Shape, int Blocks>
struct tcgen05_copy
{
    static constexpr int rows = rows_of(Shape);
    static constexpr int columns = columns_of(Shape);
    static constexpr index_t bytes = rows * columns * 4;

    /// The descriptor of `bytes` bytes at `source`: chunk after chunk of 16 bytes, the rows of a chunk contiguous.
    static TEGULA_INLINE std::uint64_t descriptor(const std::byte* source)
    {
        constexpr std::uint64_t constant =
            tcgen05_descriptor{{0, columns > 4 ? rows * 16 : 0, 128, 0, swizzle_mode::none}}.pack();
        return constant | arch::nvidia::shared_address(source, 16) >> 4;
    }

    static TEGULA_INLINE void copy([[maybe_unused]] std::uint32_t address, [[maybe_unused]] std::uint64_t descriptor,
                                   [[maybe_unused]] call_site where = call_site::here())
    {
        static_assert(Blocks == 1 || Blocks == 2, "tegula: one block or a pair");
#if TEGULA_TENSOR_MEMORY_PASS
        issue(address, descriptor);
#elif !TEGULA_DEVICE_PASS
        emulation::copy_tcgen05<Shape, Blocks>(address, descriptor, where);
#endif
    }

private:
#if TEGULA_TENSOR_MEMORY_PASS
    static TEGULA_INLINE void issue(std::uint32_t address, std::uint64_t source)
    {
#define TEGULA_TENSOR_COPY(shape, text)                                                                                \
    if constexpr (Shape == tensor_copy::shape) {                                                                       \
        TEGULA_TENSOR_GROUP("tcgen05.cp", "." text " [%0], %1;", ::"r"(address), "l"(source) : "memory");              \
    }
        TEGULA_TENSOR_COPY(rows_128x256b, "128x256b")
        TEGULA_TENSOR_COPY(rows_128x128b, "128x128b")
        TEGULA_TENSOR_COPY(rows_64x128b_02_13, "64x128b.warpx2::02_13")
        TEGULA_TENSOR_COPY(rows_64x128b_01_23, "64x128b.warpx2::01_23")
        TEGULA_TENSOR_COPY(rows_32x128b_x4, "32x128b.warpx4")
#undef TEGULA_TENSOR_COPY
    }
#endif
};

} // namespace tegula
