// Warp-specialised GEMM whose clusters share the k of tiles: sums go from block to block by remote stores.
//
// targets: sm_90a
// expect sm_90a [wide]: registers <= 168, sass/^HGMMA\.64x256x16\.F32\.BF16/ >= 4, sass/^STAS\.128/ == 32
// expect sm_90a [few_rows]: registers <= 80, sass/^QGMMA\.64x16x32\.F32\.E4M3\.E4M3/ >= 8, sass/^STAS\.128/ == 4
// expect sm_90a [direct]: registers <= 160, sass/^IGMMA\.64x64x32\.S8\.S8/ >= 4, sass/^STAS\.128/ == 16, sass/^UTMASTG/ == 0
// A wave waits twice for the cluster, and no fence is wider than a block.
// expect sm_90a: /st\.async\.shared::cluster\.mbarrier::complete_tx::bytes\.v4\.b32/ >= 4, /barrier\.cluster\.arrive\.relaxed/ == 1
// expect sm_90a: /fence\.release\.sync_restrict::shared::cta\.cluster/ >= 1, /try_wait\.parity\.relaxed\.cluster/ >= 2
// expect sm_90a [wide]: sass/^UTMASTG\.3D/ >= 1, sass/^UTMALDG\.3D\.MULTICAST/ == 0
// expect sm_90a [few_rows]: sass/^UTMASTG\.3D/ >= 1
// expect sm_90a [wide]: sass_issue_percent <= 13, sass_shared_percent <= 100, sass_divisions_behind == 0
// expect sm_90a [few_rows]: sass_issue_percent <= 132, sass_shared_percent <= 475, sass_divisions_behind == 0
// expect sm_90a [direct]: sass_issue_percent <= 40, sass_shared_percent <= 175, sass_divisions_behind == 0
// expect sm_90a: sass/div_rn/ == 0

#include "test/device/keep.hpp"

#include <tegula/kernel/gemm/warp_specialized/kernel.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;
constexpr operand_order k = operand_order::k_contiguous;

template <class Tile, int Shares, class C, output_store Store = output_store::tensor_copies>
using kernel = warp_specialized_gemm<cluster_split_tile<Tile, Shares>, k, k, C,
                                     std::conditional_t<std::is_integral_v<C>, epilogue::none, epilogue::linear<C>>,
                                     Store, work_partition::tiles>;

template <class Kernel>
TEGULA_INLINE void run(const typename Kernel::arguments& args)
{
    run_kernel<target>(Kernel{}, args);
}

TEGULA_KEEP(wide)
TEGULA_KEEP(few_rows)
TEGULA_KEEP(direct)

template <class T>
using tiles = warp_specialized_tiles<target, T>;

void keep_all(const void** kept)
{
    *kept++ = reinterpret_cast<const void*>(wide<kernel<tiles<bfloat16>::ws128x256, 2, bfloat16>>);
    *kept++ = reinterpret_cast<const void*>(few_rows<kernel<tiles<float8_e4m3>::ws16x128, 4, bfloat16>>);
    *kept++ = reinterpret_cast<const void*>(
        direct<kernel<tiles<std::int8_t>::ws64x128, 4, std::int32_t, output_store::direct>>);
}

} // namespace tegula
