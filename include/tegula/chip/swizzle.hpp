#pragma once

#include <tegula/core/config.hpp>

namespace tegula {

/// How a tile lies in shared memory for TMA and wgmma: lines of line_bytes() one below the other, their 16-byte chunks
/// permuted so that a column of eight lines meets every bank once. Source: PTX ISA, swizzling modes of tensor copies.
enum class swizzle_mode { none, bytes_32, bytes_64, bytes_128 };

/// Bytes of a line, which is the widest inner box of a tensor copy: 16 (one chunk), 32, 64 or 128.
constexpr TEGULA_HOST_DEVICE int line_bytes(swizzle_mode mode) { return 16 << static_cast<int>(mode); }

/// Bytes after which the permutation repeats, eight lines; a tile starts at a multiple of them.
constexpr TEGULA_HOST_DEVICE int pattern_bytes(swizzle_mode mode) { return 8 * line_bytes(mode); }

/// Where the byte lies that a tile without permutation has at `address`: address bits 7 and up are XORed into the one,
/// two or three bits from 4 up.
constexpr TEGULA_HOST_DEVICE std::uint32_t swizzle(swizzle_mode mode, std::uint32_t address)
{
    const std::uint32_t chunks = (1U << static_cast<int>(mode)) - 1;
    return address ^ (address >> 7 & chunks) << 4;
}

} // namespace tegula
