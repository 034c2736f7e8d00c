// not in the demo
#include "emulated_scaled_tiles.hpp"

namespace gemm_example {
namespace {

template <class T>
bool add(const char* type)
{
    using format = tegula::mx_format<T>;
    using tiles = tegula::scaled_wave_tiles<tegula::arch::gfx1250, format>;
    return add_scaled_tile<format, typename tiles::t128x128>(type, "t128x128");
}

const bool added[] = {add<tegula::float8_e4m3>("mxfp8_e4m3"), add<tegula::float6_e2m3>("mxfp6_e2m3"),
                      add<tegula::float4_e2m1>("mxfp4")};

} // namespace
} // namespace gemm_example
