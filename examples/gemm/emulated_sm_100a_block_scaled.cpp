// not in the demo
#include "emulated_tcgen05_scaled.hpp"

using namespace gemm_example;
using namespace tegula;
using target = arch::sm_100a;

static const bool added[] = {add_tcgen05_scaled<target, mx_format<float8_e4m3>>("mxfp8_e4m3"),
                             add_tcgen05_scaled<target, mx_format<float6_e2m3>>("mxfp6_e2m3"),
                             add_tcgen05_scaled<target, mx_format<float4_e2m1>>("mxfp4"),
                             add_tcgen05_scaled<target, nvfp4_format>("nvfp4")};
