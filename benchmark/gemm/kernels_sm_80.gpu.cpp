// A few kernels that compile soon; all_kernels/ has the others.
// targets: sm_80

#include "tile_kernels.hpp"

using namespace gemm_benchmark;
using enum layout;
template <class T>
using tiles = tegula::gemm_tiles<tegula::arch::sm_80, T>;

static const bool added[] = {
    add_tile<tiles<tegula::bfloat16>::t128x128, tn>("t128x128"),
    add_tile<tiles<tegula::bfloat16>::t128x256, tn>("t128x256"),
};
