#pragma once

#include <tegula/emulator/interface.hpp>
#include <tegula/mma/emulation/emulate.hpp>
#include <tegula/mma/wgmma_operand.hpp>

#include <cstring>

namespace tegula::emulation {

/// A part of an operand in shared memory, found by a descriptor (PTX ISA, asynchronous warpgroup-level matrix shared
/// memory layout, and tcgen05's canonical layouts): rows [first, first + Mn) of M or N, an instruction's 32 bytes of k.
template <class Element, operand_order Order, int Mn>
class shared_matrix
{
public:
    static constexpr int k = 32 / static_cast<int>(sizeof(Element));
    static constexpr int chunk = 16 / static_cast<int>(sizeof(Element));
    static constexpr int chunks = Mn * 2;

    shared_matrix(const matrix_descriptor& descriptor, int first) : descriptor_(descriptor), first_(first)
    {
        if (descriptor_.base_offset != 0)
            emulator::fail("a matrix descriptor with a base offset", "start tiles at a multiple of their pattern");
    }

    /// Byte offset in shared memory of chunk `i`; chunks are in the order of gather().
    std::uint32_t place(int i) const
    {
        if constexpr (Order == operand_order::k_contiguous)
            return at(first_ + i / 2, i % 2 * chunk);
        else
            return at(first_ + i / k * chunk, i % k);
    }

    /// The elements as a row-major [Mn, k] matrix or, Transposed, [k, Mn].
    template <bool Transposed>
    void gather(float* matrix, const std::byte* shared) const
    {
        for (int i = 0; i < chunks; ++i) {
            Element elements[chunk];
            std::memcpy(elements, shared + place(i), 16);
            const int row = Order == operand_order::k_contiguous ? i / 2 : i / k * chunk;
            const int column = Order == operand_order::k_contiguous ? i % 2 * chunk : i % k;
            constexpr int mn_stride = Transposed ? 1 : k;
            constexpr int k_stride = Transposed ? Mn : 1;
            float* to = matrix + row * mn_stride + column * k_stride;
            for (int e = 0; e < chunk; ++e)
                to[e * (Order == operand_order::k_contiguous ? k_stride : mn_stride)] = detail::decode(elements[e]);
        }
    }

private:
    /// Byte offset of element (mn, kk), the first of a chunk.
    std::uint32_t at(int mn, int kk) const
    {
        const bool plain = descriptor_.swizzle == swizzle_mode::none;
        const int line = line_bytes(descriptor_.swizzle);
        constexpr int size = static_cast<int>(sizeof(Element));
        int byte = descriptor_.start;
        if constexpr (Order == operand_order::k_contiguous) {
            byte += mn / 8 * descriptor_.stride + mn % 8 * line;
            byte += plain ? kk * size / 16 * descriptor_.leading : kk * size;
        } else {
            const int along_mn = mn * size / line;
            const int along_k = kk / 8;
            byte += plain ? along_mn * descriptor_.stride + along_k * descriptor_.leading
                          : along_mn * descriptor_.leading + along_k * descriptor_.stride;
            byte += kk % 8 * line + mn * size % line;
        }
        return swizzle(descriptor_.swizzle, static_cast<std::uint32_t>(byte));
    }

    matrix_descriptor descriptor_;
    int first_;
};

} // namespace tegula::emulation
