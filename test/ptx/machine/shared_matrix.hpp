#pragma once

// Matrices in shared memory that the tensor core reads. PTX ISA: "Shared Memory Matrix Layout", "Strides".

#include "matrix_types.hpp"

#include <utility>

namespace ptx {

/// Where each 16 bytes of a matrix are.
struct shared_matrix
{
    block* of = nullptr;
    region* memory = nullptr;
    std::vector<std::uint32_t>
        chunks;         ///< offsets; along k (k-major): [row][2], along rows (mn-major): [k][rows / per chunk]
    int per_chunk = 8;  ///< elements of 16 bytes
    int row_chunks = 2; ///< chunks of the second index
    bool k_major = true;

    std::pair<std::uint32_t, int> find(int row, int k) const
    {
        const int first = k_major ? row : k, second = k_major ? k : row;
        return {chunks[static_cast<std::size_t>(first * row_chunks + second / per_chunk)], second % per_chunk};
    }
};

/// A matrix descriptor, in bytes; mode: the swizzle, none, 128, 64 or 32 bytes, or 128 by pieces of 32.
struct matrix_place
{
    std::uint64_t start, leading, stride;
    int mode;
};

inline constexpr int wide_pieces = 4;

/// `rows` of the m or n dimension; k is 32 bytes where it is contiguous.
inline shared_matrix locate_matrix(block& b, const matrix_place& p, int rows, int k, int bits, bool k_major)
{
    const bool wide = p.mode == wide_pieces;
    if (wide && (k_major || bits != 32))
        throw fault("the swizzle of 128 bytes by pieces of 32 is of 32-bit elements along M or N");
    const std::uint64_t width = p.mode == 0 ? 16 : wide ? 128 : 256u >> p.mode; // bytes of a row of the swizzle atom
    const std::uint64_t atom_chunks = width / 16, pattern = p.mode == 0 ? 0 : wide ? 3 : atom_chunks - 1;
    const int lines = wide ? 4 : 8; // of the atom
    shared_matrix x;
    x.of = &b;
    x.memory = b.shared.get();
    x.per_chunk = 128 / bits;
    x.k_major = k_major;
    const int first = k_major ? rows : k;
    x.row_chunks = (k_major ? k : rows) / x.per_chunk;
    for (int i = 0; i < first; ++i)
        for (int c = 0; c < x.row_chunks; ++c) {
            const auto group = static_cast<std::uint64_t>(i / lines), line = static_cast<std::uint64_t>(i % lines),
                       chunk = static_cast<std::uint64_t>(c);
            std::uint64_t at = p.start;
            if (k_major) // 8 rows, then the stride; the two halves of k are neighbours, or core matrices apart
                at += line * width + group * p.stride + (p.mode == 0 ? chunk * p.leading : chunk * 16);
            else if (p.mode == 0) // core matrices of 8 k by 16 bytes of rows
                at += line * 16 + group * p.leading + chunk * p.stride;
            else // atoms of 8 k by a swizzle's width of rows
                at += line * width + group * p.stride + chunk / atom_chunks * p.leading + chunk % atom_chunks * 16;
            at ^= (at >> 7 & pattern) << (wide ? 5 : 4);
            if (at < b.shared->base || !b.shared->holds(at - b.shared->base, 16))
                throw fault("a matrix descriptor reaches " + hex(at) + ", which is not in shared memory");
            x.chunks.push_back(static_cast<std::uint32_t>(at - b.shared->base));
        }
    return x;
}

/// Whether the tensor core may read the matrix when `reader` is issued.
inline void check_arrived(warp& w, const shared_matrix& x, const char* reader)
{
    for (const std::uint32_t chunk : x.chunks) {
        for (std::uint32_t o = chunk; o < chunk + 16; ++o)
            if (x.memory->states[o] == byte_state::in_flight)
                throw fault(std::string(reader) + " reads byte " + std::to_string(o) + " of shared memory, " +
                            describe(byte_state::in_flight));
        check_proxy(*x.of, chunk, 16, reader);
        note_read(w, {x.memory, chunk}, 16);
    }
}

} // namespace ptx
