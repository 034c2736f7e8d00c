// targets: gfx90a

#include "../tile_kernels.hpp"

using namespace gemm_benchmark;
using enum layout;
template <class T>
using tiles = tegula::gemm_tiles<tegula::arch::gfx90a, T>;

static const bool added[] = {
    add_all_tiles<tiles<tegula::bfloat16>, tn, nn, nt>(),
    add_all_tiles<tiles<tegula::half>, tn>(),
};
