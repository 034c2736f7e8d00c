// A few kernels that compile soon; all_kernels/ has the others.
// targets: sm_90a

#include "warp_specialized_kernels.hpp"

using namespace gemm_benchmark;
using enum layout;
template <class T>
using tiles = tegula::warp_specialized_tiles<tegula::arch::sm_90a, T>;

static const bool added[] = {
    add_warp_specialized<tiles<tegula::bfloat16>::pair_wide, tn>("pair_wide"),
    add_warp_specialized<tiles<tegula::float8_e4m3>::pair_wide, tn>("pair_wide"),
    add_warp_specialized_split_k<tiles<tegula::bfloat16>::rows_64, tn>("rows_64 split-K", "rows_64 stream-K"),
};
