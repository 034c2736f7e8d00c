// not in the demo
#include "emulated_scaled_tiles.hpp"

namespace gemm_example {
namespace {

template <class Format>
bool add(const char* type)
{
    using tiles = tegula::scaled_warp_tiles<tegula::arch::sm_120a, Format>;
    return add_scaled_tile<Format, typename tiles::t64x64>(type, "t64x64");
}

const bool added[] = {add<tegula::mx_format<tegula::float8_e4m3>>("mxfp8_e4m3"),
                      add<tegula::mx_format<tegula::float6_e2m3>>("mxfp6_e2m3"),
                      add<tegula::mx_format<tegula::float4_e2m1>>("mxfp4"), add<tegula::nvfp4_format>("nvfp4")};

} // namespace
} // namespace gemm_example
