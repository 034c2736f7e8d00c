// targets: sm_100a
// not in the sample

#include "on_gpu_warp_specialized.hpp"

using namespace gemm_example;
using target = tegula::arch::sm_100a;

static const bool added[] = {
    add_kernels(make_entries<bf16_inputs<target>, element_wise_on_gpu>(device::gpu, type_list<t64x64_tile>{})),
    add_kernels(make_warp_specialized_entries<bf16_inputs<target>, warp_specialized_on_gpu>(
        device::gpu, type_list<tc256x256_2x1_tile>{}))};
