// Convolutions in all directions: pixels found under the filter, vectors of channels.
//
// targets: gfx942
// full targets: gfx90a gfx1100 gfx1201 sm_80 sm_90a
// expect * [along_k]: matrix >= 8, wide_global_load >= 2, wide_shared_load >= 2, wide_shared_store >= 1
// expect * [along_rows]: matrix >= 8, wide_global_load >= 2
// expect * [mixed]: matrix >= 8, wide_global_load >= 2
// expect * [along_k]: wide_global_store >= 1, half_wide_global_store == 0
// expect * [along_rows]: wide_global_store >= 1, half_wide_global_store == 0
// expect * [mixed]: wide_global_store >= 1, half_wide_global_store == 0
// expect gfx942 clang22 [along_k]: loop_matrix_percent >= 42
// expect gfx942 clang22 [mixed]: loop_matrix_percent >= 39
// expect gfx942 clang22 [along_rows]: loop_matrix_percent >= 21
// expect gfx90a clang22 [along_k]: loop_matrix_percent >= 59
// expect gfx90a clang22 [mixed]: loop_matrix_percent >= 55
// expect gfx90a clang22 [along_rows]: loop_matrix_percent >= 35
// expect * [covered]: wide_global_load >= 4, wide_global_store >= 4, registers <= 96
// expect gfx90a gfx942 gfx1100 gfx1201: /^flat_/ == 0

#include <tegula/kernel/convolution/im2col.hpp>
#include <tegula/kernel/convolution/tiles.hpp>

#include "test/device/gemm_words.hpp"

namespace tegula {

template <convolution_direction Direction, int Dims, class Tile>
using kernels_of =
    convolution_kernels<Direction, Dims, Tile, typename Tile::a_type, epilogue::chain<epilogue::activate>>;

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) covered(typename Kernel::arguments args)
{
    run<Kernel>(args);
}

void keep_all(const void** kept)
{
    using enum convolution_direction;
    *kept++ = reinterpret_cast<const void*>(covered<im2col_kernel<target, half, 2, 8>>);
    using large = prologue_tiles<target, half>::large;
    using small = prologue_tiles<target, bfloat16>::small;
    using forward_2d = kernels_of<forward, 2, large>;
    using data_2d = kernels_of<backward_data, 2, large>;
    using weight_3d = kernels_of<backward_weight, 3, small>;
    *kept++ = reinterpret_cast<const void*>(along_k<forward_2d::aligned<k_contiguous, k_contiguous>>);
    *kept++ = reinterpret_cast<const void*>(mixed<data_2d::aligned<k_contiguous, row_contiguous>>);
    *kept++ = reinterpret_cast<const void*>(along_rows<weight_3d::aligned<row_contiguous, row_contiguous>>);
}

} // namespace tegula
