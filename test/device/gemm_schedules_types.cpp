// The large tiles of the other input types. A matrix instruction of bytes or tf32 takes as many registers of A and B as
// one of f16, so that the main loops are as long; f32 has twice as many instructions for them.
//
// full targets: gfx90a gfx942 gfx1201
// expect *: wide_shared_load, wide_shared_store, wide_global_load, wide_global_store
// expect gfx90a gfx942 [ping_pong]: loop_matrix >= 64, registers <= 256
// expect gfx942 [ping_pong]: cluster_percent <= 100
// expect gfx90a gfx942 [interleaved]: loop_matrix >= 64, registers <= 512
// expect gfx90a gfx942 clang22 [half_format]: loop_matrix_percent >= 97
// expect gfx90a gfx942 clang22 [aaiLi16]: loop_matrix_percent >= 97
// expect gfx942 clang22 [float8]: loop_matrix_percent >= 93
// The model of that share has no inputs of 32 bits.
// expect gfx90a gfx942 clang22 [fffLi16]: loop_per_hundred <= 165
// expect gfx942 clang22 [tfloat32]: loop_per_hundred <= 160
// expect gfx90a gfx942 clang19 [ping_pong]: loop_per_hundred <= 160
// expect gfx90a gfx942 clang19 [interleaved]: loop_per_hundred <= 165
// expect gfx1201: loop_matrix >= 32, loop_per_hundred <= 320, loop_load_drains == 0, registers <= 256

#include "test/device/gemm_words.hpp"

namespace tegula {

template <class T>
using tiles = gemm_tiles<target, T>;

/// The tile of the schedule `interleaved`.
template <class Target, class T, class Tiles = gemm_tiles<Target, T>>
using interleaved_tile =
    std::conditional_t<Tiles::has_t256x128, typename Tiles::t256x128, typename Tiles::t128x128_interleaved>;

// A template, so that a target without this fp8 names no tile of it.
template <class Target, class Fp8>
void keep_fp8(const void**& kept)
{
    if constexpr (has_matrix_instruction<Target, Fp8>)
        *kept++ = keep_along_k<interleaved_tile<Target, Fp8>, float>();
}

void keep_all(const void** kept)
{
    *kept++ = keep_along_k<interleaved_tile<target, half>, float>();
    if constexpr (tiles<half>::has_t256x256) {
        *kept++ = keep_along_k<tiles<half>::t256x256, float>();
        *kept++ = keep_along_k<tiles<std::int8_t>::t256x256, std::int32_t>();
        *kept++ = keep_along_k<tiles<float>::t256x128, float>();
    }
    if constexpr (tiles<tfloat32>::has_t256x256)
        *kept++ = keep_along_k<tiles<tfloat32>::t256x256, float>();
    keep_fp8<target, float8_e4m3_fnuz>(kept);
    keep_fp8<target, float8_e4m3>(kept);
}

} // namespace tegula
