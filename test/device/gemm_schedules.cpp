// The schedules for CDNA: one bf16 kernel each of the large tiles, with the numbers of their main loops. The best instance
// that Composable Kernel ships, its v3 pipeline at 256x256x32, has 1.594 instructions a 16x16x16 matrix instruction of the
// same compiler at -O3, 1.61 with its own flags, in 392 registers; at 256x128x64 it has 2.43.
//
// targets: gfx942
// full targets: gfx90a
// expect *: /v_mfma_f32_16x16x16_?bf16/ >= 128, wide_shared_load, wide_shared_store
// expect *: wide_global_load, wide_global_store
// expect * [ping_pong_256x256]: loop_matrix >= 64, loop_matrix_percent >= 97, registers <= 256, cluster_percent <= 100
// expect * [interleaved_256x128]: loop_matrix >= 64, loop_matrix_percent >= 97, registers <= 512
// expect gfx942 [interleaved_256x128]: loop_cycles <= 563, loop_matrix_cycles == 512
// expect * [interleaved_256x128]: loop_load_drains == 0
// expect gfx942 [ping_pong_256x256]: loop_shared_percent <= 50, loop_global_percent <= 25
// expect gfx942 [_256x128]: loop_shared_percent <= 56, loop_global_percent <= 38
// expect gfx942 [multistage_256x256]: loop_shared_percent <= 38, loop_global_percent <= 25
// expect gfx90a [_256x256]: loop_shared_percent <= 25, loop_global_percent <= 13
// expect gfx90a [_256x128]: loop_shared_percent <= 28, loop_global_percent <= 19
// expect * [multistage_256x256]: loop_matrix >= 64, loop_matrix_percent >= 65, registers <= 512
// expect * [multistage_256x128]: loop_matrix >= 64, loop_matrix_percent >= 57, registers <= 256

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/block/interleaved_loop.hpp>
#include <tegula/block/ping_pong_loop.hpp>
#include <tegula/gemm.hpp>

namespace {

using namespace tegula;
using target = arch::TEGULA_TEST_TARGET;

template <index_t BlockM, index_t BlockN, int WavesN, class Schedule>
using kernel =
    gemm_kernel<gemm_tile<target, default_atom<target, bfloat16>, BlockM, BlockN, 32, 2, WavesN, 2, 8, Schedule>,
                operand_order::k_contiguous, operand_order::k_contiguous, float, epilogue::linear<>,
                output_access::vectors>;

using ping_pong_256x256 = kernel<256, 256, 4, ping_pong>;
using interleaved_256x128 = kernel<256, 128, 2, interleaved>;
using multistage_256x256 = kernel<256, 256, 2, multistage>;
using multistage_256x128 = kernel<256, 128, 2, multistage>;

} // namespace

#define TEGULA_KERNEL(name)                                                                                            \
    __global__ void TEGULA_LAUNCH_BOUNDS(name::block_threads) gemm_##name(name::arguments args)                        \
    {                                                                                                                  \
        run_kernel<target>(name{}, args);                                                                              \
    }

TEGULA_KERNEL(ping_pong_256x256)
TEGULA_KERNEL(interleaved_256x128)
TEGULA_KERNEL(multistage_256x256)
TEGULA_KERNEL(multistage_256x128)
