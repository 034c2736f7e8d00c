// A few kernels that compile soon; all_kernels/ has the others.
// targets: gfx1201
// not in the sample

#include "tile_kernels.hpp"

using namespace gemm_benchmark;
using enum layout;
template <class T>
using tiles = tegula::gemm_tiles<tegula::arch::gfx1201, T>;

static const bool added[] = {
    add_tile<tiles<tegula::bfloat16>::t128x128_interleaved, tn>("t128x128_interleaved"),
};
