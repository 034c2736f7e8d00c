// Block-scaled fp8 by the warp-specialised kernel: QGMMA, whose sums of 128 of k are scaled as they are added.
//
// targets: sm_90a
// expect sm_90a [promoted]: registers <= 168, sass/^QGMMA\.64x128x32\.F32\.E4M3\.E4M3/ >= 4, sass/^UTMALDG\.3D\.MULTICAST/ >= 1
// expect sm_90a [few_rows]: registers <= 96, sass/^QGMMA\.64x16x32\.F32\.E4M3\.E4M3/ >= 8, sass/^UTMALDG\.3D/ >= 2
// expect sm_90a [mixed]: registers <= 232, sass/^QGMMA\.64x64x32\.F32\.E5M2\.E4M3/ >= 8, sass/^UTMALDG\.3D/ >= 2
// That of gemm_hopper.cpp, whose sums are added as they are, has 48.
// expect sm_90a [promoted]: sass_issue_percent <= 56, sass_shared_percent <= 125
// expect sm_90a [few_rows]: sass_issue_percent <= 183, sass_shared_percent <= 475
// expect sm_90a [mixed]: sass_issue_percent <= 98, sass_shared_percent <= 175
// expect sm_90a: sass/^[HIQ]MMA/ == 0, sass/^FFMA/ >= 16, sass_divisions_behind == 0

#include "test/device/keep.hpp"

#include <tegula/kernel/gemm/warp_specialized/kernel.hpp>
#include <tegula/kernel/gemm/warp_specialized/scaled_tile.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;
constexpr operand_order k = operand_order::k_contiguous;

template <class Tile, class C>
using kernel = warp_specialized_gemm<Tile, k, k, C, epilogue::none, output_store::tensor_copies>;

TEGULA_KEEP(promoted)
TEGULA_KEEP(few_rows)
TEGULA_KEEP(mixed)

using tiles = warp_specialized_scaled_tiles<target, float8_e4m3>;
using pair_tiles = warp_specialized_scaled_tiles<target, float8_e4m3, float8_e5m2>;

void keep_all(const void** kept)
{
    *kept++ = reinterpret_cast<const void*>(promoted<kernel<tiles::ws128x128_2x1, float>>);
    *kept++ = reinterpret_cast<const void*>(few_rows<kernel<tiles::ws16x128, float>>);
    *kept++ = reinterpret_cast<const void*>(mixed<kernel<pair_tiles::ws64x128, bfloat16>>);
}

} // namespace tegula
