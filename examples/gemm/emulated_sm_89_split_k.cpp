// not in the demo
#include "emulated.hpp"

using namespace gemm_example;
using target = tegula::arch::sm_89;

static const bool added[] = {
    add_kernels(make_entries<bf16_inputs<target>, emulated_split_k>(device::emulator, type_list<split_k_tile>{})),
    add_kernels(make_entries<int8_inputs<target>, emulated_split_k>(device::emulator, type_list<split_k_tile>{}))};
