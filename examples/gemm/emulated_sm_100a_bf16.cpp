// not in the demo
#include "emulated_warp_specialized.hpp"

using namespace gemm_example;
using target = tegula::arch::sm_100a;

static const bool added[] = {
    add_emulated_tcgen05<target, bf16_inputs, tc256x256_2x1_tile, tc128x64_tile>(),
    add_kernels(make_warp_specialized_entries<bf16_inputs<target>, emulated_warp_specialized_split_k>(
        device::emulator, type_list<tc128x64_tile>{}))};
