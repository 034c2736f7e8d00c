// targets: sm_120a
// not in the sample

#include "on_gpu.hpp"

using namespace gemm_example;
using target = tegula::arch::sm_120a;

/// The tile that its estimate chooses for products of any size: chip_speed has a GeForce, of half the others' rate.
static const bool added = add_kernels(make_entries<bf16_inputs<target>, on_gpu>(device::gpu, type_list<t64x64_tile>{}));
