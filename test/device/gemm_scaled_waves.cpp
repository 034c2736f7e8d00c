// Products of Microscaling operands on gfx1250: operands come past the registers, by copies of the lanes or by the tensor
// data mover, scales from global memory a step ahead.
//
// full targets: gfx1250
// expect * [product]: /v_wmma_scale_f32_16x16x128_f8f6f4/ >= 8, /v_wmma/ <= 128
// expect * [product_large]: /tensor_load_to_lds/ >= 4, /global_load_async/ == 0, /s_wait_tensorcnt/ >= 3
// expect * [product_small]: /global_load_async_to_lds_b128/ >= 4, /tensor_load/ == 0
// expect * [product_large]: loop_matrix == 32, loop_load_drains <= 2
// expect * [product_largeINS_11small_floatINS_18float4_e2m1]: /matrix_a_fmt:MATRIX_FMT_FP4/ >= 8, /matrix_b_fmt:MATRIX_FMT_FP4/ >= 8
// expect * [two_widths]: /matrix_a_fmt:MATRIX_FMT_FP4/ >= 8, /matrix_b_fmt:MATRIX_FMT_FP4/ == 0

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/gemm.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;

template <class T>
using tiles = scaled_wave_tiles<target, mx_format<T>>;
template <class Tile>
using kernel = microscaled_gemm<Tile, float, epilogue::linear<>, output_access::vectors>;

// The names of the functions tell expectations apart.
template <class T>
__global__ void TEGULA_LAUNCH_BOUNDS(256) product_large(typename kernel<typename tiles<T>::t256x256>::arguments args)
{
    run_kernel<target>(kernel<typename tiles<T>::t256x256>{}, args);
}
template <class T>
__global__ void TEGULA_LAUNCH_BOUNDS(256) product_small(typename kernel<typename tiles<T>::t128x128>::arguments args)
{
    run_kernel<target>(kernel<typename tiles<T>::t128x128>{}, args);
}

// Rows of other bytes in A than in B.
using two_widths = scaled_wave_tiles<target, mx_format<float8_e4m3>, mx_format<float4_e2m1>>::t256x256;
__global__ void TEGULA_LAUNCH_BOUNDS(256) product_large_of_two_widths(typename kernel<two_widths>::arguments args)
{
    run_kernel<target>(kernel<two_widths>{}, args);
}

void keep_all(const void** kept)
{
    *kept++ = reinterpret_cast<const void*>(product_large_of_two_widths);
    *kept++ = reinterpret_cast<const void*>(product_large<float8_e4m3>);
    *kept++ = reinterpret_cast<const void*>(product_large<float4_e2m1>);
    *kept++ = reinterpret_cast<const void*>(product_small<float6_e2m3>);
    *kept++ = reinterpret_cast<const void*>(product_small<float8_e4m3>);
}

} // namespace tegula
