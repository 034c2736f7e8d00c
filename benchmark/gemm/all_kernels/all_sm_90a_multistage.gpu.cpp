// What warp-specialised kernels cannot address, and what they are to be faster than.
// targets: sm_90a

#include "../tile_kernels.hpp"

using namespace gemm_benchmark;
using enum layout;
template <class T>
using tiles = tegula::gemm_tiles<tegula::arch::sm_90a, T>;

static const bool added[] = {
    add_all_tiles<tiles<tegula::bfloat16>, tn, nn, nt>(),
    add_split_k<tiles<tegula::bfloat16>::t64x64, tn, nn, nt>("t64x64 split-K", "t64x64 stream-K"),
    add_all_tiles<tiles<tegula::half>, tn>(),
    add_all_tiles<tiles<tegula::float8_e4m3>, tn>(),
};
