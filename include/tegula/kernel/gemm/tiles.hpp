#pragma once

#include <tegula/block/interleaved_loop.hpp>
#include <tegula/block/ping_pong_loop.hpp>
#include <tegula/kernel/gemm/tile.hpp>
#include <tegula/mma/choose.hpp>

namespace tegula {

/// The tiles that are shipped for a target and an input type. Sizes of k are in bytes, so that every type has rows of
/// 64 or 128 bytes in shared memory.
///
/// | name   | rows x columns | k bytes | waves          | schedule    | for
/// | huge   | 256 x 256      | 64      | 8              | ping_pong   | the largest products on CDNA (gfx950: k 128)
/// | wide   | 256 x 128      | 64      | 4              | interleaved | large products on CDNA: no wait for memory
/// |        | 128 x 128      | 64      | 8              | interleaved | the same on gfx12
/// |        | 128 x 256      | 64      | 8              | multistage  | large products on NVIDIA before wgmma
/// | large  | 128 x 128      | 64      | 4 (wave32: 8)  | multistage  | large products elsewhere
/// | medium | 64 x 64        | 128     | 4              | multistage  | products of few tiles
/// | flat   | 32 x 128       | 64      | 4              | multistage  | few rows
///
/// medium has 64 bytes of k where 128 would not fit the registers, wave32, or meet in banks, 8-bit types.
///
/// huge and wide are for matrix instructions with accumulators of 32 bits. Two full stages of 128 bytes of k fit the
/// 160 KB of gfx950, of 64 bytes the 64 KB of the others; a type without an instruction, or f64, has no such tile.
/// On sm_80 and sm_89 a warp of wide has 64 x 64 of C, so that what it reads from shared memory takes half of the
/// cycles of its products, where a warp of large, 64 x 32, reads for three quarters of them (m16n8k16 on sm_80: 2
/// cycles of a multiprocessor, ldmatrix.x4: 4). Its three stages are 72 KB of the 99 KB of sm_89; on sm_90a
/// warp_specialized_tiles has the large products.
///
/// gfx11 has neither: its instructions take both operands twice, so that two steps' fragments, which interleaved holds,
/// leave no room for accumulators (spills at 128 x 128 and at 128 x 64), and ping_pong saves 7 % of multistage's
/// instructions for half of its blocks a compute unit. Both schedules do run there.
template <class Target, class Element>
struct gemm_tiles
{
    using atom = default_atom<Target, Element>;

    static constexpr index_t row = 64 / static_cast<index_t>(sizeof(Element));
    // An NVIDIA block keeps one stage more in flight: its copies take no registers. Two steps of large are 1024 cycles
    // on sm_80, against some 800 from a copy to its data; of the smaller tiles several blocks share a multiprocessor.
    static constexpr int stages = Target::has_async_copy ? 3 : 2;
    // 128x128 accumulators in waves of 32 lanes: 8 waves, or there is no room for the operands.
    static constexpr int wide_waves = Target::wave_size == 32 ? 4 : 2;

    static constexpr index_t medium_row = Target::wave_size == 64 && sizeof(Element) > 1 ? 2 * row : row;

private:
    static constexpr gpu_arch chip_arch = arch_of<Target>();
    static constexpr bool is_cdna = Target::wave_size == 64;
    static constexpr bool is_gfx12 = chip_arch == gpu_arch::gfx1200 || chip_arch == gpu_arch::gfx1201;
    static constexpr bool is_ampere = chip_arch == gpu_arch::sm_80 || chip_arch == gpu_arch::sm_89;
    static constexpr bool has_room = atom::is_matrix_instruction && sizeof(typename atom::c_type) == 4;
    static constexpr index_t wide_m = is_cdna ? 256 : 128;
    static constexpr index_t wide_n = is_ampere ? 256 : 128;
    using wide_schedule = std::conditional_t<is_ampere, multistage, interleaved>;
    static constexpr index_t huge_row = Target::chip().shared_bytes >= 2 * 512 * 128 ? 2 * row : row;

public:
    static constexpr bool has_huge = is_cdna && has_room;
    static constexpr bool has_wide = has_huge || (has_room && (is_gfx12 || is_ampere));

    using huge = gemm_tile<Target, atom, 256, 256, huge_row, 2, 4, 2, 8, ping_pong>;
    using wide = gemm_tile<Target, atom, wide_m, wide_n, row, 2, wide_waves, stages, 8, wide_schedule>;
    using large = gemm_tile<Target, atom, 128, 128, row, 2, wide_waves, stages>;
    using medium = gemm_tile<Target, atom, 64, 64, medium_row, 2, 2, stages>;
    using flat = gemm_tile<Target, atom, 32, 128, row, 1, 4, stages>;
};

} // namespace tegula
