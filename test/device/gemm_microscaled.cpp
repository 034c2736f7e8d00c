// Products of Microscaling operands, and the kernel that quantises for them.
//
// targets: gfx950
// expect * [product]: /v_mfma_scale_f32_16x16x128_f8f6f4/ >= 64, /buffer_load_dwordx4 .* lds/ >= 8, wide_global_store
// expect * [product_256x128]: loop_matrix >= 64, loop_per_hundred <= 300, loop_load_drains <= 2
// expect * [product_256x128 float8_e4m3]: loop_matrix_percent >= 51
// expect * [product_256x128 float4_e2m1]: loop_matrix_percent >= 45
// expect * [product_small]: loop_matrix_percent >= 33
// expect * [product_256x128INS_11small_floatINS_18float4_e2m1]: /cbsz:4/ >= 64, /blgp:4/ >= 64
// expect * [product_small]: /cbsz:2/ >= 64, /blgp:2/ >= 64
// expect * [quantize]: /_dpp/ >= 2, wide_global_load >= 2, /ds_bpermute|ds_swizzle/ == 0, /global_store_dword/ >= 1, matrix == 0
// expect * [quantize]: /v_cvt_scalef32_pk_(fp8|bf8|fp4)_f32/ == 4, /v_med3_f32/ <= 8

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/kernel/gemm/epilogue/check.hpp>
#include <tegula/kernel/gemm/microscaled/gemm.hpp>
#include <tegula/kernel/quantization/mx_quantize.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;

template <class Tile>
using kernel = microscaled_gemm<Tile, float, epilogue::linear<>, output_access::vectors>;

// The names of the functions tell expectations apart.
template <class T>
__global__ void TEGULA_LAUNCH_BOUNDS(256)
    product_256x128(typename kernel<typename microscaled_tiles<target, T>::t256x128>::arguments args)
{
    run_kernel<target>(kernel<typename microscaled_tiles<target, T>::t256x128>{}, args);
}
template <class T>
__global__ void TEGULA_LAUNCH_BOUNDS(256)
    product_small(typename kernel<typename microscaled_tiles<target, T>::t128x128>::arguments args)
{
    run_kernel<target>(kernel<typename microscaled_tiles<target, T>::t128x128>{}, args);
}
template <class T>
__global__ void TEGULA_LAUNCH_BOUNDS(256) quantize(block_quantize_arguments<float> args)
{
    run_kernel<target>(mx_quantize<target, T, float>{}, args);
}

void keep_all(const void** kept)
{
    *kept++ = reinterpret_cast<const void*>(product_256x128<float8_e4m3>);
    *kept++ = reinterpret_cast<const void*>(product_256x128<float4_e2m1>);
    *kept++ = reinterpret_cast<const void*>(product_small<float6_e2m3>);
    *kept++ = reinterpret_cast<const void*>(quantize<float8_e4m3>);
    *kept++ = reinterpret_cast<const void*>(quantize<float8_e5m2>);
    *kept++ = reinterpret_cast<const void*>(quantize<float4_e2m1>);
}

} // namespace tegula
