// targets: sm_90a

#include "../warp_specialized_kernels.hpp"

using namespace gemm_benchmark;
using enum layout;
template <class T>
using tiles = tegula::warp_specialized_tiles<tegula::arch::sm_90a, T>;

static const bool added[] = {
    add_all_warp_specialized<tiles<tegula::half>, tn>(),
};
