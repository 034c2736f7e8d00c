// Block-scaled products by warps of sm_120a, and the kernel that quantises for them.
//
// targets: sm_120a
// expect * [product]: matrix >= 64, /cp\.async/ >= 4, wide_global_store, /ldmatrix\.sync\.aligned\.m8n8\.x4\.shared/ >= 12
// expect * [float8_e4m3]: /mma\.sync\.aligned\.kind::mxf8f6f4\.block_scale\.scale_vec::1X\.m16n8k32/ >= 64
// expect * [product_nvfp4]: /mma\.sync\.aligned\.kind::mxf4nvf4\.block_scale\.scale_vec::4X\.m16n8k64/ >= 64
// expect * [quantize]: /shfl/ >= 1, matrix == 0

#include <tegula/kernel/gemm/epilogue.hpp>
#include <tegula/kernel/gemm/microscaled/gemm.hpp>
#include <tegula/kernel/gemm/microscaled/warp_tile.hpp>
#include <tegula/kernel/quantization/mx_quantize.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;

template <class Tile>
using kernel = microscaled_gemm<Tile, float, epilogue::linear<>, output_access::vectors>;
template <class Format>
using tile = typename scaled_warp_tiles<target, Format>::t128x128;

// The names of the functions tell expectations apart.
template <class T>
__global__ void TEGULA_LAUNCH_BOUNDS(256) product_mx(typename kernel<tile<mx_format<T>>>::arguments args)
{
    run_kernel<target>(kernel<tile<mx_format<T>>>{}, args);
}
__global__ void TEGULA_LAUNCH_BOUNDS(256) product_nvfp4(kernel<tile<nvfp4_format>>::arguments args)
{
    run_kernel<target>(kernel<tile<nvfp4_format>>{}, args);
}
template <class X>
__global__ void TEGULA_LAUNCH_BOUNDS(256) quantize(block_quantize_arguments<X> args)
{
    run_kernel<target>(block_quantize<target, nvfp4_format, X>{}, args);
}

void keep_all(const void** kept)
{
    *kept++ = reinterpret_cast<const void*>(product_mx<float8_e4m3>);
    *kept++ = reinterpret_cast<const void*>(product_nvfp4);
    *kept++ = reinterpret_cast<const void*>(quantize<float>);
}

} // namespace tegula
