// Every shipped tile of block-scaled operands, which lie along k, in every format: nothing spills.
//
// full targets: gfx950 gfx1250 sm_120a

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#define TEGULA_TEST_GRID_CONSTANT
#else
#define TEGULA_TEST_GRID_CONSTANT __grid_constant__
#endif

#include <tegula/gemm.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads)
    whole(const TEGULA_TEST_GRID_CONSTANT typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}

/// The kernels of a tile that write vectors and single elements.
template <class Tile>
void keep(const void**& kept)
{
    using parts = epilogue::linear<>;
    *kept++ = reinterpret_cast<const void*>(whole<microscaled_gemm<Tile, float, parts, output_access::vectors>>);
    *kept++ = reinterpret_cast<const void*>(whole<microscaled_gemm<Tile, float, parts, output_access::elements>>);
}

template <class Target, class Format>
void keep_warp_tiles(const void**& kept)
{
    keep<typename scaled_warp_tiles<Target, Format>::t128x128>(kept);
    keep<typename scaled_warp_tiles<Target, Format>::t64x64>(kept);
}
template <class Target, class Element>
void keep_tiles(const void**& kept)
{
    if constexpr (arch_of<Target>() == gpu_arch::gfx950) {
        keep<typename microscaled_tiles<Target, Element>::t256x128>(kept);
        keep<typename microscaled_tiles<Target, Element>::t128x128>(kept);
    } else if constexpr (arch_of<Target>() == gpu_arch::gfx1250) {
        using tiles = scaled_wave_tiles<Target, mx_format<Element>>;
        if constexpr (Element::format::width != 6)
            keep<typename tiles::t256x256>(kept);
        keep<typename tiles::t128x128>(kept);
    } else {
        keep_warp_tiles<Target, mx_format<Element>>(kept);
    }
}

void keep_all(const void** kept)
{
    keep_tiles<target, float8_e4m3>(kept);
    keep_tiles<target, float8_e5m2>(kept);
    keep_tiles<target, float6_e2m3>(kept);
    keep_tiles<target, float6_e3m2>(kept);
    keep_tiles<target, float4_e2m1>(kept);
    if constexpr (arch_of<target>() == gpu_arch::sm_120a)
        keep_warp_tiles<target, nvfp4_format>(kept);
}

} // namespace tegula
