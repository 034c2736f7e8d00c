// The large tiles with operands whose rows are contiguous, which lanes turn on the way to shared memory, a byte
// permutation a word (bytes come by 8 then, not by 16); and 32x32 instructions.
//
// full targets: gfx90a gfx942 gfx1201
// expect gfx942 [interleaved]: loop_shared_percent <= 56, loop_global_percent <= 38
// expect gfx942 [ping_pong]: loop_shared_percent <= 50, loop_global_percent <= 25
// expect gfx90a [interleaved]: loop_shared_percent <= 28, loop_global_percent <= 19
// expect gfx90a [ping_pong]: loop_shared_percent <= 25, loop_global_percent <= 13
// expect *: wide_shared_load, wide_global_store
// expect * [bfloat16]: wide_global_load
// expect gfx90a gfx942 clang19 [mixed]: loop_matrix >= 64, loop_per_hundred <= 180
// expect gfx90a gfx942 clang19 [along_rows]: loop_matrix >= 64, loop_per_hundred <= 235
// expect gfx90a gfx942 clang22 [mixed]: loop_matrix >= 64, loop_matrix_percent >= 93
// expect gfx90a gfx942 clang22 [along_rows]: loop_matrix >= 64, loop_matrix_percent >= 90
// expect gfx90a gfx942 clang22 [ping_pong]: loop_matrix_percent >= 97
// expect gfx90a gfx942 [ping_pong]: registers <= 256
// expect gfx90a gfx942 [interleaved]: registers <= 512
// expect gfx942 [along_k]: /v_mfma_f32_32x32x8_?bf16/
// expect gfx942 clang19 [along_k]: loop_per_hundred <= 232
// expect gfx942 clang22 [along_k]: loop_matrix_percent >= 61
// expect gfx1201: loop_matrix >= 32, loop_per_hundred <= 490, registers <= 256
// expect gfx1201 [interleaved]: loop_load_drains == 0

#include <tegula/block/interleaved_loop.hpp>
#include <tegula/block/ping_pong_loop.hpp>

#include "test/device/gemm_words.hpp"

namespace tegula {

template <class T>
using tiles = gemm_tiles<target, T>;

template <index_t BlockN, int WavesN>
using tile_of_32 =
    gemm_tile<target, shaped_atom<target, bfloat16, 32, 32>, 256, BlockN, 32, 2, WavesN, 2, 8, multistage>;

void keep_all(const void** kept)
{
    if constexpr (tiles<bfloat16>::has_t256x256) {
        *kept++ = keep_mixed_orders<tiles<bfloat16>::t256x128, float>();
        *kept++ = keep_along_rows<tiles<bfloat16>::t256x128, float>();
        *kept++ = keep_mixed_orders<tiles<bfloat16>::t256x256, float>();
        *kept++ = keep_along_rows<tiles<bfloat16>::t256x256, float>();
        *kept++ = keep_along_rows<tiles<std::int8_t>::t256x256, std::int32_t>();
    } else {
        *kept++ = keep_along_rows<tiles<bfloat16>::t128x128_interleaved, float>();
        *kept++ = keep_along_k<tiles<bfloat16>::t128x128, float>();
    }
    if constexpr (arch_of<target>() == gpu_arch::gfx942) {
        *kept++ = keep_along_k<tile_of_32<128, 2>, float>();
        *kept++ = keep_along_k<tile_of_32<256, 4>, float>();
    }
}

} // namespace tegula
