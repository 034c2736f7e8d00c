// The schedules of large tiles on the targets that differ from gfx942: other instructions, waves of 32 lanes, and the
// 160 KB of gfx950, where two full stages of 256 x 256 x 64 lie in shared memory.

#include <tegula/arch/amd/targets.hpp>

#include "test/kernel/gemm/schedules.hpp"

namespace tegula::test {

using enum operand_order;

template <class Target, class T, class Schedule>
using tile_of_rdna = gemm_tile<Target, default_atom<Target, T>, 128, 128, 64 / sizeof(T), 2, 4, 2, 8, Schedule>;

TEST_CASE("ping_pong and interleaved on gfx1100", "[gemm][gfx1100]")
{
    using target = arch::gfx1100;
    check_schedule<tile_of_rdna<target, half, ping_pong>, half, k_contiguous, row_contiguous>();
    check_schedule<tile_of_rdna<target, std::int8_t, interleaved>, std::int32_t, k_contiguous, k_contiguous>();
    check_schedule<gemm_tile<target, default_atom<target, bfloat16>, 64, 64, 32, 2, 2, 2, 8, interleaved>, float,
                   k_contiguous, row_contiguous>();
    static_assert(!gemm_tiles<target, half>::has_t256x256 && !gemm_tiles<target, half>::has_t256x128 &&
                  !gemm_tiles<target, half>::has_t128x128_interleaved);
}

TEST_CASE("ping_pong and interleaved on gfx1201", "[gemm][gfx1201]")
{
    using target = arch::gfx1201;
    check_schedule<tile_of_rdna<target, bfloat16, ping_pong>, float, k_contiguous, k_contiguous>();
    check_schedule<gemm_tiles<target, half>::t128x128_interleaved, float, row_contiguous, row_contiguous>();
    check_schedule<gemm_tiles<target, float8_e4m3>::t128x128_interleaved, float, k_contiguous, k_contiguous>();
    static_assert(!gemm_tiles<target, half>::has_t256x256 && gemm_tiles<target, half>::has_t128x128_interleaved);
}

TEST_CASE("Direct loads, and rows turned by the reads, on gfx950", "[gemm][gfx950]")
{
    using target = arch::gfx950;
    using tile = gemm_tiles<target, bfloat16>::t256x256;
    static_assert(tile::block_m == 256 && tile::block_n == 256 && tile::block_k == 64 && tile::stages == 2);
    static_assert(tile::shared_bytes<k_contiguous, k_contiguous>() == 2 * 64 * 1024);
    check_schedule<tile, float, k_contiguous, k_contiguous>();
    check_schedule<gemm_tiles<target, half>::t256x256, half, row_contiguous, k_contiguous>();
    check_schedule<gemm_tiles<target, bfloat16>::t256x128, float, k_contiguous, row_contiguous>();
    static_assert(gemm_tiles<target, bfloat16>::t256x128::block_k == 64);
    check_schedule<gemm_tiles<target, std::int8_t>::t256x128, std::int32_t, row_contiguous, row_contiguous>();
    static_assert(!gemm_tiles<target, float8_e4m3>::has_t256x256); // its instruction is as deep as the tile
    check_schedule<gemm_tiles<target, float8_e4m3>::t256x128, float, k_contiguous, row_contiguous>();
}

} // namespace tegula::test
