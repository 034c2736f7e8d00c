#pragma once

#include <tegula/kernel/gemm/forms/packed_weights_tile.hpp>
#include <tegula/mma/choose.hpp>

namespace tegula {

/// The tiles that are shipped for few rows by quantised weights, named by rows and columns. Weights stay packed in shared
/// memory. Their time is that of reading the weights; those of gemm_tiles convert them with three times the instructions.
///
/// | name           | targets          | k   | stages        | for
/// | t16x64_packed  | CDNA 3, sm_80 on | 256 | 4 (CDNA: 2)   | up to 16 rows, fewer weights: twice the blocks
/// | t16x128_packed | CDNA 3, sm_80 on | 128 | 4 (CDNA: 2)   | up to 16 rows
/// | t32x128_packed | CDNA 3, sm_80 on | 128 | 4 (CDNA: 2)   | up to 32 rows, on NVIDIA more
/// | t64x128_packed | CDNA 3           | 128 | 2             | up to 64 rows
///
/// 128 k of 4-bit weights are 64 bytes of a column, two sectors; 256 are a cache line. On NVIDIA three stages are in
/// flight, 24 KB of 4-bit weights a block. On CDNA registers hold one, and two or three blocks share a compute unit.
///
/// On NVIDIA the sums of 64 rows, and as many of a group, spill. So do 32 with zero points: take 16. mma.sync would limit
/// 64 rows, too: on sm_90a and later persistent_quantized_kernels multiplies them.
///
///   Element  half or bfloat16, the type of A
template <class Target, class Element>
struct weight_tiles
{
    static_assert(internal::is_a_target<Target>::ok);

    using atom = default_atom<Target, Element>;

private:
    static constexpr bool copies = Target::has_async_copy;
    static constexpr index_t base_k = max(index_t{32}, static_cast<index_t>(atom::k));
    template <index_t M, index_t N, index_t K>
    using packed = packed_weights_tile<gemm_tile<Target, atom, M, N, base_k, 1, 4, 2, 8, transposed_multistage>, K,
                                       copies ? 4 : 2>;

public:
    using t16x64_packed = packed<16, 64, 256>;
    using t16x128_packed = packed<16, 128, 128>;
    using t32x128_packed = packed<32, 128, 128>;
    using t64x128_packed = packed<64, 128, 128>;
};

} // namespace tegula
