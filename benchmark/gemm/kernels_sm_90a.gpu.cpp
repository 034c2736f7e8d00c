// A few kernels that compile soon; all_kernels/ has the others.
// targets: sm_90a
// not in the sample

#include "warp_specialized_kernels.hpp"

using namespace gemm_benchmark;
using enum layout;
template <class T>
using tiles = tegula::warp_specialized_tiles<tegula::arch::sm_90a, T>;

static const bool added[] = {
    add_warp_specialized<tiles<tegula::bfloat16>::ws128x256_2x1, tn>("ws128x256_2x1"),
    add_warp_specialized<tiles<tegula::float8_e4m3>::ws128x256_2x1, tn>("ws128x256_2x1"),
    add_warp_specialized_split_k<tiles<tegula::bfloat16>::ws64x128, tn>("ws64x128 split-K", "ws64x128 stream-K"),
};
