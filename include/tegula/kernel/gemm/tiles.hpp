#pragma once

#include <tegula/block/direct_interleaved_loop.hpp>
#include <tegula/block/direct_ping_pong_loop.hpp>
#include <tegula/block/interleaved_loop.hpp>
#include <tegula/block/ping_pong_loop.hpp>
#include <tegula/kernel/gemm/tile.hpp>
#include <tegula/mma/choose.hpp>

namespace tegula {

/// The tiles that are shipped for a target and an input type, named by rows and columns. Sizes of k are in bytes, so
/// that rows of every type have 64 or 128 bytes in shared memory. gfx1250, with 320 KB of it, has 128 everywhere.
///
/// | name                 | targets       | k bytes | waves          | schedule    | for
/// | t256x256             | CDNA          | 64      | 8              | ping_pong   | the largest products
/// |                      | gfx950        | 128     | 8              | direct_ping_pong | same; direct to its 160 KB
/// |                      | gfx950, fp8   | 128     | 8              | direct_interleaved | same
/// |                      | gfx1250       | 128     | 8              | tensor_multistage | same; by tensor data mover
/// | t256x128             | CDNA          | 64      | 4              | interleaved | large products: no wait for memory
/// |                      | gfx950        | 128     | 4              | direct_interleaved | same, but tf32
/// | t128x128_interleaved | gfx12         | 64      | 8              | interleaved | the same
/// | t128x256             | sm_8x, sm_12x | 64      | 8              | multistage  | large products without wgmma
/// | t128x128             | all           | 64      | 4 (wave32: 8)  | multistage  | large products elsewhere
/// | t64x64               | all           | 128     | 4              | multistage  | products of few tiles
/// | t32x128              | all           | 64      | 4              | multistage  | few rows
///
/// has_t256x256 and its kind say which of the first four exist. They are for matrix instructions with accumulators of
/// 32 bits; a type without an instruction, or f64, has none of them.
///
/// fp8 on gfx950, whose instructions of k 64 and 128 have twice the rate of the others, has 128 bytes of k everywhere. The
/// two largest tiles take those of 32 rows and k 64: half a stage is a step of k, whose fragments fit the registers.
///
/// t64x64 has 64 bytes of k if 128 would not fit the registers (wave32) or would have bank conflicts (8-bit types). The
/// 160 KB of gfx950 hold two stages of t256x256 or three of t256x128 with 128 bytes of k; the 64 KB of the others hold
/// two with 64. A cache line has 128 bytes and is fetched twice for 64. A warp of t128x256 has 64 x 64 of C, so that
/// its reads from shared memory take half of the cycles of its products. For a warp of t128x128, 64 x 32, they take
/// three quarters (m16n8k16 on sm_80: 2 cycles of a multiprocessor, ldmatrix.x4: 4). Three stages of t128x256 are 72 KB
/// of the 99 KB of sm_89; on sm_90a warp_specialized_tiles has the large products.
///
/// fp8 on sm_89 promotes its sums every 128 of k (see truncated_sum_k); t128x256 lacks registers for that.
///
/// gfx11 has none of the four. Its instructions take both operands twice. The fragments of two steps, which interleaved
/// holds, then leave no room for accumulators (spills at 128 x 128 and at 128 x 64). ping_pong saves 7 % of
/// multistage's instructions but halves the blocks a compute unit. Both schedules do run there.
template <class Target, class Element>
struct gemm_tiles
{
    static_assert(internal::is_a_target<Target>::ok);

    using atom = default_atom<Target, Element>;

    // gfx1250: whole cache lines. Instructions of gfx950 and gfx1250 take 128 bytes of k.
    static constexpr index_t row =
        max(arch_of<Target>() == gpu_arch::gfx1250 ? 128 / static_cast<index_t>(sizeof(Element))
                                                   : 64 / static_cast<index_t>(sizeof(Element)),
            static_cast<index_t>(atom::k));
    // An NVIDIA block keeps one stage more in flight: its copies take no registers. Two steps of t128x128 take 1024
    // cycles on sm_80, a copy some 800. Several blocks of the smaller tiles share a multiprocessor.
    static constexpr int stages = Target::has_async_copy ? 3 : 2;
    // 128x128 accumulators in waves of 32 lanes need 8 waves to leave room for the operands.
    static constexpr int waves_n = Target::wave_size == 32 ? 4 : 2;

private:
    static constexpr chip_family family = Target::chip().family;
    static constexpr bool is_cdna = Target::wave_size == 64;
    static constexpr bool is_gfx1250 = family == chip_family::cdna_5;
    static constexpr bool is_gfx12 = family == chip_family::rdna_4;
    // Without wgmma and tcgen05, from sm_80 on.
    static constexpr bool by_mma_sync =
        family == chip_family::ampere || family == chip_family::ada || family == chip_family::blackwell_rtx;
    static constexpr bool has_room = atom::is_matrix_instruction && sizeof(typename atom::c_type) == 4;
    static constexpr bool is_deep = atom::k * sizeof(Element) > 64;
    // Rows of whole cache lines need shared memory for two stages, and loads that take no registers. Operands of 8 and
    // 16 bits that are contiguous along the rows are transposed when they are read.
    static constexpr bool loads_directly = requires { Target::has_direct_load; };
    static constexpr index_t row_256 = loads_directly ? 128 / static_cast<index_t>(sizeof(Element)) : row;
    static constexpr bool turns_in_reads = loads_directly && sizeof(Element) <= 2;
    using large_atom = std::conditional_t<loads_directly && is_deep,
                                          mma_atom<Target, Element, Element, typename atom::c_type, 32, 32, 64>, atom>;
    static constexpr index_t row_64 = Target::wave_size == 64 && sizeof(Element) > 1 ? 2 * row : row;

public:
    static constexpr bool has_t256x256 = has_room && (is_gfx1250 || is_cdna);
    static constexpr bool has_t256x128 = is_cdna && has_room;
    static constexpr bool has_t128x128_interleaved = is_gfx12 && has_room;
    static constexpr bool has_t128x256 = by_mma_sync && has_room;

    using t256x256 = gemm_tile<
        Target, large_atom, 256, 256, row_256, 2, 4, is_gfx1250 ? stages : 2, 8,
        std::conditional_t<is_gfx1250, tensor_multistage,
                           std::conditional_t<is_deep && loads_directly, direct_interleaved,
                                              std::conditional_t<loads_directly, direct_ping_pong, ping_pong>>>>;
    using t256x128 =
        gemm_tile<Target, large_atom, 256, 128, turns_in_reads ? row_256 : row, 2, waves_n, turns_in_reads ? 3 : stages,
                  8, std::conditional_t<turns_in_reads, direct_interleaved, interleaved>>;
    using t128x128_interleaved = gemm_tile<Target, atom, 128, 128, row, 2, waves_n, stages, 8, interleaved>;
    using t128x256 = gemm_tile<Target, atom, 128, 256, row, 2, waves_n, stages, 8, multistage>;
    using t128x128 = gemm_tile<Target, atom, 128, 128, row, 2, waves_n, stages>;
    using t64x64 = gemm_tile<Target, atom, 64, 64, row_64, 2, 2, stages>;
    using t32x128 = gemm_tile<Target, atom, 32, 128, row, 1, 4, stages>;
};

} // namespace tegula
