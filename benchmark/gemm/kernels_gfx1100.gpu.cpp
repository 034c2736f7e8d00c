// A few kernels that compile soon; all_kernels/ has the others.
// targets: gfx1100
// not in the sample

#include "tile_kernels.hpp"

using namespace gemm_benchmark;
using enum layout;
template <class T>
using tiles = tegula::gemm_tiles<tegula::arch::gfx1100, T>;

static const bool added[] = {
    add_tile<tiles<tegula::bfloat16>::t128x128, tn>("t128x128"),
};
