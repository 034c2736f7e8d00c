// Block-scaled products by warps of sm_120a, and the kernel that quantises for them.
//
// targets: sm_120a
// expect * [6scaledI]: /cp\.async\.bulk\.tensor\.3d/ >= 4, wide_global_store >= 1, half_wide_global_store == 0, registers <= 200
// expect * [5bytesI]: /cp\.async\.bulk\.tensor\.3d/ >= 4, wide_global_store >= 1, half_wide_global_store == 0
// expect * [6narrowI]: /cp\.async\.bulk\.tensor\.3d/ >= 4, wide_global_store >= 1, half_wide_global_store == 0
// expect * [6scaledI]: /ldmatrix\.sync\.aligned\.m8n8\.x4\.shared/ >= 8, /mbarrier\.try_wait\.parity/ >= 1
// expect * [5bytesI]: /ldmatrix\.sync\.aligned\.m8n8\.x4\.shared/ >= 8, /mbarrier\.try_wait\.parity/ >= 1
// expect * [6narrowI]: /ldmatrix\.sync\.aligned\.m8n16\.x4\.shared\.b8x16\.b6x16_p32/ >= 4
// expect * [6narrowI]: /ldmatrix\.sync\.aligned\.m8n16\.x4\.shared\.b8x16\.b4x16_p64/ >= 4
// expect * [6scaledI]: /mma\.sync\.aligned\.kind::mxf4nvf4\.block_scale\.scale_vec::4X\.m16n8k64/ >= 64
// expect * [5bytesI]: /mma\.sync\.aligned\.kind::mxf8f6f4\.block_scale\.scale_vec::1X\.m16n8k32/ >= 32
// expect * [6narrowI]: /mma\.sync\.aligned\.kind::mxf8f6f4\.block_scale\.scale_vec::1X\.m16n8k32/ >= 32
// expect * [quantize]: /shfl/ >= 1, wide_global_load >= 2, matrix == 0

#include "test/device/keep.hpp"

#include <tegula/kernel/gemm/epilogue/check.hpp>
#include <tegula/kernel/gemm/microscaled/gemm.hpp>
#include <tegula/kernel/gemm/microscaled/warp_tile.hpp>
#include <tegula/kernel/quantization/mx_quantize.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;

template <class Tile>
using kernel = microscaled_gemm<Tile, bfloat16, epilogue::linear<bfloat16>, output_access::vectors>;
template <class Format>
using tiles = scaled_warp_tiles<target, Format>;
using six_by_four = scaled_warp_tile<target, mx_format<float6_e2m3>, mx_format<float4_e2m1>, 64, 64, 2, 2, 3>;

TEGULA_KEEP(scaled)
TEGULA_KEEP(bytes)
TEGULA_KEEP(narrow)
TEGULA_KEEP(quantize)

void keep_all(const void** kept)
{
    *kept++ = reinterpret_cast<const void*>(scaled<kernel<tiles<nvfp4_format>::t128x128>>);
    *kept++ = reinterpret_cast<const void*>(bytes<kernel<tiles<mx_format<float8_e4m3>>::t64x64>>);
    *kept++ = reinterpret_cast<const void*>(narrow<kernel<six_by_four>>);
    *kept++ = reinterpret_cast<const void*>(quantize<block_quantize<target, nvfp4_format, float>>);
}

} // namespace tegula
