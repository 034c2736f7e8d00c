// targets: sm_90a

#include "on_gpu_warp_specialized.hpp"

using namespace gemm_example;
using target = tegula::arch::sm_90a;

namespace {

const bool added[] = {
    add_kernels(make_entries<bf16_inputs<target>, element_wise_on_gpu>(device::gpu, type_list<t128x128_tile>{})),
    add_kernels(make_warp_specialized_entries<bf16_inputs<target>, warp_specialized_on_gpu>(
        device::gpu, type_list<ws128x256_2x1_tile>{}))};

} // namespace
