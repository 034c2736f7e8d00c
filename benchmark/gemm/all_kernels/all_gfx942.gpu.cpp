// targets: gfx942

#include "../tile_kernels.hpp"

using namespace gemm_benchmark;
using enum layout;
template <class T>
using tiles = tegula::gemm_tiles<tegula::arch::gfx942, T>;

static const bool added[] = {
    add_all_tiles<tiles<tegula::bfloat16>, tn, nn, nt>(),
    add_all_tiles<tiles<tegula::half>, tn>(),
    add_all_tiles<tiles<tegula::float8_e4m3_fnuz>, tn>(),
};
