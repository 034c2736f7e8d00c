// not in the demo
#include "emulated_tcgen05_scaled.hpp"
#include "emulated_warp_specialized.hpp"

using namespace gemm_example;
using target = tegula::arch::sm_103a;

/// Its kernels are those of sm_100a, but for int8, which its tensor memory has not.
static const bool added[] = {
    add_emulated_tcgen05<target, bf16_inputs, tc256x256_2x1_tile>(),
    add_kernels(make_warp_specialized_entries<bf16_inputs<target>, emulated_warp_specialized_split_k>(
        device::emulator, type_list<tc256x256_2x1_tile>{})),
    add_emulated_tcgen05<target, f16_inputs, tc128x128_tile>(),
    add_emulated_tcgen05<target, tf32_inputs, tc128x128_tile>(),
    add_emulated_tcgen05<target, fp8_inputs, tc128x128_tile>(),
    add_kernels(make_entries<int8_inputs<target>, emulated>(device::emulator, type_list<t64x64_tile>{})),
    add_tcgen05_scaled<target, tegula::mx_format<tegula::float8_e4m3>>("mxfp8_e4m3"),
    add_tcgen05_scaled<target, tegula::mx_format<tegula::float6_e2m3>>("mxfp6_e2m3"),
    add_tcgen05_scaled<target, tegula::mx_format<tegula::float4_e2m1>>("mxfp4"),
    add_tcgen05_scaled<target, tegula::nvfp4_format>("nvfp4")};
