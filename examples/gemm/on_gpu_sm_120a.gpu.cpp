// targets: sm_120a

#include "on_gpu.hpp"

using namespace gemm_example;
using target = tegula::arch::sm_120a;

static const bool added =
    add_kernels(make_entries<bf16_inputs<target>, on_gpu>(device::gpu, type_list<t128x128_tile>{}));
