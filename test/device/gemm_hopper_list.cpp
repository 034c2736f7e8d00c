// Lists of products on sm_90a in one launch: the maps of each product lie in memory.
//
// targets: sm_90a
// expect sm_90a [paired]: registers <= 168, sass/^HGMMA\.64x256x16\.F32\.BF16/ >= 4, sass/^UTMALDG\.3D\.MULTICAST/ >= 1
// expect sm_90a [turns]: registers <= 168, sass/^IGMMA\.64x128x32\.S8\.S8/ >= 8, sass/^UTMALDG\.3D/ >= 2
// expect sm_90a [few_rows]: registers <= 80, sass/^HGMMA\.64x16x16\.F32/ >= 8, sass/^UTMALDG\.3D/ >= 2
// expect sm_90a [promoted]: registers <= 168, sass/^QGMMA\.64x128x32\.F32\.E4M3\.E4M3/ >= 4, sass/^FADD/ >= 64
// expect sm_90a: sass/^UTMASTG\.3D/ >= 1, /griddepcontrol\.wait/ == 1, /griddepcontrol\.launch_dependents/ == 1
// The loops have the instructions of those in gemm_hopper.cpp; the warp that copies has some more.
// expect sm_90a [paired]: sass_issue_percent <= 14, sass_shared_percent <= 100, sass_divisions_behind == 0
// expect sm_90a [turns]: sass_issue_percent <= 19, sass_shared_percent <= 125, sass_divisions_behind == 0
// expect sm_90a [few_rows]: sass_issue_percent <= 110, sass_shared_percent <= 475, sass_divisions_behind == 0
// expect sm_90a [promoted]: sass_issue_percent >= 40, sass_issue_percent <= 51, sass_shared_percent <= 125, sass_divisions_behind == 0

#include "test/device/keep.hpp"

#include <tegula/kernel/gemm/warp_specialized/kernel.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;
constexpr operand_order k = operand_order::k_contiguous;
constexpr operand_order mn = operand_order::row_contiguous;

template <class Tile, operand_order B, class C>
using kernel =
    warp_specialized_gemm<Tile, k, B, C, std::conditional_t<std::is_integral_v<C>, epilogue::none, epilogue::linear<C>>,
                          output_store::tensor_copies, work_partition::list>;

template <class Kernel>
TEGULA_INLINE void run(const typename Kernel::arguments& args)
{
    run_kernel<target>(Kernel{}, args);
}

TEGULA_KEEP(paired)
TEGULA_KEEP(turns)
TEGULA_KEEP(few_rows)
TEGULA_KEEP(promoted)

template <class T>
using tiles = warp_specialized_tiles<target, T>;

void keep_all(const void** kept)
{
    *kept++ = reinterpret_cast<const void*>(paired<kernel<tiles<bfloat16>::ws128x256_2x1, k, bfloat16>>);
    *kept++ = reinterpret_cast<const void*>(turns<kernel<tiles<std::int8_t>::ws128x128, k, std::int32_t>>);
    *kept++ = reinterpret_cast<const void*>(few_rows<kernel<tiles<half>::ws16x128, mn, half>>);
    *kept++ = reinterpret_cast<const void*>(promoted<kernel<tiles<float8_e4m3>::ws128x128_2x1_promoted, k, bfloat16>>);
}

} // namespace tegula
