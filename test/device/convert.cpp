// Changes of distribution: what stays in a wave is shuffled, the rest passes through shared memory in 16-byte accesses;
// nothing may go to scratch memory.
//
// targets: gfx942 sm_80
// full targets: gfx1100 sm_90a
// expect * [renamed]: /ds_|shfl|(ld|st)\.shared/ == 0
// expect gfx942 gfx1100 [swapped]: /ds_bpermute|_dpp|permlane/ == 2, /ds_(read|write|load|store)_/ == 0
// expect sm_80 sm_90a [swapped]: /shfl\.sync/ == 2, /(ld|st)\.shared/ == 0
// expect gfx942 gfx1100 [transposed]: /ds_bpermute|_dpp|permlane/ == 8, /ds_(read|write|load|store)_/ == 0
// expect sm_80 sm_90a [transposed]: /shfl\.sync/ == 8, /(ld|st)\.shared/ == 0
// expect gfx942 [gathered]: /ds_bpermute/ >= 3, /ds_(read|write|load|store)_/ == 0
// expect * [across]: wide_shared_store >= 2, wide_shared_load >= 2
// expect * [in_chunks]: wide_shared_store >= 2, wide_shared_load >= 2
// expect sm_80 sm_90a [to_operand_a]: /ldmatrix.*\.x4\.shared/ == 1, /ld\.shared/ == 0
// expect sm_80 sm_90a [to_operand_b]: /ldmatrix.*\.x4\.trans/ == 1, /ld\.shared/ == 0
// expect sm_80 [from_accumulator]: /stmatrix/ == 0
// expect sm_90a [from_accumulator]: /stmatrix.*\.x4\.shared/ == 1, /st\.shared/ == 0
// expect * [odd_rows]: /ds_write|ds_store|st\.shared/ >= 1

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/tensor.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;
inline constexpr index_t lanes = target::wave_size;

template <class Hs, class PsMajor, class PsMinor, class YsMajor, class YsMinor>
using distribution = tile_distribution<tile_distribution_encoding<sequence<>, Hs, PsMajor, PsMinor, YsMajor, YsMinor>>;

// [lanes, 8] of one wave: a row a lane; the same with the registers in two halves; half rows.
using rows =
    distribution<tuple<sequence<lanes>, sequence<8>>, tuple<sequence<1>>, tuple<sequence<0>>, sequence<2>, sequence<0>>;
using halves = distribution<tuple<sequence<lanes>, sequence<2, 4>>, tuple<sequence<1>>, tuple<sequence<0>>,
                            sequence<2, 2>, sequence<1, 0>>;
using half_rows = distribution<tuple<sequence<2, lanes / 2>, sequence<2, 4>>, tuple<sequence<2, 1>>,
                               tuple<sequence<0, 1>>, sequence<1, 2>, sequence<0, 1>>;
using pairs = distribution<tuple<sequence<lanes / 4, 4>, sequence<4, 2>>, tuple<sequence<2, 1>>, tuple<sequence<0, 0>>,
                           sequence<1, 2>, sequence<1, 1>>;
// [3 lanes] blocked and cyclic: the digits of 3 and of the lanes do not refine each other.
using blocked =
    distribution<tuple<sequence<lanes, 3>>, tuple<sequence<1>>, tuple<sequence<0>>, sequence<1>, sequence<1>>;
using cyclic =
    distribution<tuple<sequence<3, lanes>>, tuple<sequence<1>>, tuple<sequence<1>>, sequence<1>, sequence<0>>;
// [64, 64] over four waves: strips of rows, strips of columns; a lane holds 16 neighbours of a row.
using wave_rows =
    distribution<tuple<sequence<4, 64 / lanes, lanes / 4>, sequence<4, 16>>, tuple<sequence<1>, sequence<1, 2>>,
                 tuple<sequence<0>, sequence<2, 0>>, sequence<1, 2>, sequence<1, 1>>;
using wave_columns = distribution<tuple<sequence<64 / lanes, lanes>, sequence<4, 16>>, tuple<sequence<2>, sequence<1>>,
                                  tuple<sequence<0>, sequence<1>>, sequence<1, 2>, sequence<0, 1>>;
// [5 * lanes, 6] over two waves.
using odd_rows = distribution<tuple<sequence<5, lanes>, sequence<2, 3>>, tuple<sequence<2>, sequence<1>>,
                              tuple<sequence<0>, sequence<1>>, sequence<1, 2>, sequence<0, 1>>;
using odd_blocks = distribution<tuple<sequence<lanes, 5>, sequence<3, 2>>, tuple<sequence<2>, sequence<1>>,
                                tuple<sequence<1>, sequence<0>>, sequence<2, 1>, sequence<0, 1>>;

// [16, 16] of one warp: eight neighbours of a row a lane; C of two mma.sync m16n8k16, which is A of one; B of two.
using row_eighths = distribution<tuple<sequence<16>, sequence<2, 8>>, tuple<sequence<1, 2>>, tuple<sequence<0, 0>>,
                                 sequence<2>, sequence<1>>;
using operand_a = distribution<tuple<sequence<2, 8>, sequence<2, 4, 2>>, tuple<sequence<1, 2>>, tuple<sequence<1, 1>>,
                               sequence<2, 1, 2>, sequence<0, 0, 2>>;
using operand_b = distribution<tuple<sequence<2, 4, 2>, sequence<2, 8>>, tuple<sequence<2, 1>>, tuple<sequence<1, 1>>,
                               sequence<2, 1, 1>, sequence<0, 0, 2>>;

/// Reads a lane's registers, changes them, writes them.
template <class Source, class T, class Change>
TEGULA_INLINE void run(T* to_memory, const T* from_memory, const Change& change)
{
    distributed_tensor<T, Source> tile;
    const int thread = target::thread_id();
    static_for<Source::num_registers>(
        [&](auto r) { tile[r] = target::load_global(from_memory + thread * Source::num_registers + r); });
    const auto changed = change(tile);
    static_for<changed.num_registers>(
        [&](auto r) { target::store_global(to_memory + thread * changed.num_registers + r, changed[r]); });
}

#define TEGULA_TEST_KERNEL(name, T, source, ...)                                                                       \
    __global__ void name(T* destination, const T* from)                                                                \
    {                                                                                                                  \
        run<source>(destination, from, [](const auto& tile) { return __VA_ARGS__; });                                  \
    }

TEGULA_TEST_KERNEL(renamed, float, rows, convert<target, halves>(tile))
TEGULA_TEST_KERNEL(swapped, std::uint16_t, rows, convert<target, half_rows>(tile))
TEGULA_TEST_KERNEL(transposed, float, rows, convert<target, pairs>(tile))
TEGULA_TEST_KERNEL(gathered, float, blocked, convert<target, cyclic>(tile, target::shared_memory()))
TEGULA_TEST_KERNEL(across, std::uint16_t, wave_rows, convert<target, wave_columns>(tile, target::shared_memory()))
TEGULA_TEST_KERNEL(in_chunks, std::uint16_t, wave_rows,
                   convert<target, wave_columns, 2048>(tile, target::shared_memory()))
TEGULA_TEST_KERNEL(odd_rows_to_blocks, float, odd_rows, convert<target, odd_blocks>(tile, target::shared_memory()))
TEGULA_TEST_KERNEL(forced, float, rows, convert_through_shared<target, half_rows>(tile, target::shared_memory()))
#if defined(__CUDACC__)
TEGULA_TEST_KERNEL(to_operand_a, std::uint16_t, row_eighths,
                   convert_through_shared<target, operand_a>(tile, target::shared_memory()))
TEGULA_TEST_KERNEL(to_operand_b, std::uint16_t, row_eighths,
                   convert_through_shared<target, operand_b>(tile, target::shared_memory()))
TEGULA_TEST_KERNEL(from_accumulator, std::uint16_t, operand_a,
                   convert_through_shared<target, row_eighths>(tile, target::shared_memory()))
#endif

} // namespace tegula
