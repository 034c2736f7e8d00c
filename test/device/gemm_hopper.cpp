// Warp-specialised GEMM: tensor copies in and out, wgmma from shared memory, the registers of the multiprocessor shared
// out among the warpgroups. 384 threads start with 168 registers each.
//
// targets: sm_90a
// expect sm_90a [paired]: registers <= 168, sass/^HGMMA\.64x256x16\.F32\.BF16/ >= 4, sass/^UTMALDG\.3D\.MULTICAST/ >= 1
// expect sm_90a [turns]: registers <= 168, sass/^IGMMA\.64x128x32\.S8\.S8/ >= 8, sass/^UTMALDG\.3D/ >= 2
// expect sm_90a [few_rows]: registers <= 80, sass/^HGMMA\.64x16x16\.F32/ >= 8, sass/^UTMALDG\.3D/ >= 2
// expect sm_90a [promoted]: registers <= 168, sass/^QGMMA\.64x128x32\.F32\.E4M3\.E4M3/ >= 4, sass/^FADD/ >= 64
// expect sm_90a [rows_in_parts]: registers <= 168, sass/^QGMMA\.64x(16|64)x32\.F32\.E4M3\.E4M3/ >= 8, sass/^FADD/ >= 32
// expect sm_90a [direct]: registers <= 168, sass/^HGMMA/ >= 8, sass/^UTMASTG/ == 0
// expect sm_90a [paired]: sass/^UTMASTG\.3D/ >= 1, sass/^STSM\.16\.M88\.4/ >= 1
// expect sm_90a [turns]: sass/^UTMASTG\.3D/ >= 1
// expect sm_90a [few_rows]: sass/^UTMASTG\.3D/ >= 1, sass/^STSM\.16\.MT88\.4/ >= 1
// expect sm_90a [promoted]: sass/^UTMASTG\.3D/ >= 1
// expect sm_90a [paired]: sass/^USETMAXREG\.DEALLOC/ >= 1, sass/^USETMAXREG\.TRY_ALLOC/ >= 1
// expect sm_90a [paired]: sass_issue_percent <= 13, sass_shared_percent <= 100, sass_divisions_behind == 0
// expect sm_90a [turns]: sass_issue_percent <= 18, sass_shared_percent <= 125, sass_divisions_behind == 0
// expect sm_90a [few_rows]: sass_issue_percent <= 104, sass_shared_percent <= 475, sass_divisions_behind == 0
// Behind each 128 of k, four instructions, 64 sums are added by as many FADD; the instruction's own work is no more.
// expect sm_90a [promoted]: sass_issue_percent >= 40, sass_issue_percent <= 49, sass_shared_percent <= 125, sass_divisions_behind == 0
// expect sm_90a [rows_in_parts]: sass_issue_percent <= 132, sass_shared_percent <= 475, sass_divisions_behind == 0
// expect sm_90a [fLi64ELi128ELi128E]: sass_issue_percent <= 60, sass_shared_percent <= 175
// expect sm_90a [direct]: sass_issue_percent <= 20, sass_shared_percent <= 125, sass_divisions_behind == 0
// expect sm_90a [paired]: /setmaxnreg\.dec\.sync\.aligned\.u32 40/ == 1, /setmaxnreg\.inc\.sync\.aligned\.u32 232/ == 1
// A chunk of the accumulators is picked by branches, not by selections among all, and multiplied by alpha if that is not 1. C0 comes by
// tensor copies, bias from shared memory; silu takes no division.
// expect sm_90a: sass/div_rn/ == 0
// expect sm_90a [paired]: sass_chunk_plain >= 1, sass_chunk_plain <= 90, sass_chunk_silu >= 1, sass_chunk_silu <= 190
// expect sm_90a [paired]: sass_chunk_source >= 1, sass_chunk_source <= 132, sass_chunk_bias >= 1, sass_chunk_bias <= 118
// expect sm_90a [promoted]: sass_chunk_source >= 1, sass_chunk_source <= 128, sass_chunk_bias >= 1, sass_chunk_bias <= 113
// expect sm_90a [few_rows]: sass_chunk_source >= 1, sass_chunk_source <= 90, sass_chunk_bias >= 1, sass_chunk_bias <= 80
// expect sm_90a [turns]: sass_chunk_plain >= 1, sass_chunk_plain <= 90
// expect sm_90a: /griddepcontrol\.wait/ == 1, /griddepcontrol\.launch_dependents/ == 1

#include "test/device/keep.hpp"

#include <tegula/kernel/gemm/warp_specialized/kernel.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;
constexpr operand_order k = operand_order::k_contiguous;
constexpr operand_order mn = operand_order::row_contiguous;

template <class Tile, operand_order B, class C, output_store Store = output_store::tensor_copies>
using kernel =
    warp_specialized_gemm<Tile, k, B, C, std::conditional_t<std::is_integral_v<C>, epilogue::none, epilogue::linear<C>>,
                          Store>;

template <class Kernel>
TEGULA_INLINE void run(const typename Kernel::arguments& args)
{
    run_kernel<target>(Kernel{}, args);
}

TEGULA_KEEP(paired)
TEGULA_KEEP(turns)
TEGULA_KEEP(few_rows)
TEGULA_KEEP(promoted)
TEGULA_KEEP(rows_in_parts)
TEGULA_KEEP(direct)

template <class T>
using tiles = warp_specialized_tiles<target, T>;

void keep_all(const void** kept)
{
    *kept++ = reinterpret_cast<const void*>(paired<kernel<tiles<bfloat16>::ws128x256_2x1, k, bfloat16>>);
    *kept++ = reinterpret_cast<const void*>(turns<kernel<tiles<std::int8_t>::ws128x128, k, std::int32_t>>);
    *kept++ = reinterpret_cast<const void*>(few_rows<kernel<tiles<half>::ws16x128, mn, half>>);
    *kept++ = reinterpret_cast<const void*>(promoted<kernel<tiles<float8_e4m3>::ws128x128_2x1_promoted, k, bfloat16>>);
    *kept++ = reinterpret_cast<const void*>(rows_in_parts<kernel<tiles<float8_e4m3>::ws64x128, k, bfloat16>>);
    *kept++ = reinterpret_cast<const void*>(rows_in_parts<kernel<tiles<float8_e4m3>::ws16x128, k, bfloat16>>);
    *kept++ =
        reinterpret_cast<const void*>(direct<kernel<tiles<bfloat16>::ws128x128_2x1, mn, float, output_store::direct>>);
}

} // namespace tegula
