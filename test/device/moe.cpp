// A mixture of experts: routing, sorting by expert, the products of the experts, the sum of their results.
//
// targets: gfx90a gfx942 gfx1100 gfx1201 sm_80 sm_90a
// expect * [mixed]: matrix >= 8, wide_global_load >= 2, wide_shared_load >= 2
// expect gfx90a gfx942 gfx1100 gfx1201 [along_k]: /^ds_/ >= 1
// expect * [along_rows]: wide_global_load >= 1
// expect gfx90a gfx942 gfx1100 gfx1201: /^flat_/ == 0

#include <tegula/kernel/moe/layer.hpp>

#include "test/device/gemm_words.hpp"

namespace tegula {

void keep_all(const void** kept)
{
    using kernels = moe_kernels<gemm_tiles<target, bfloat16>::t128x128>;
    *kept++ =
        reinterpret_cast<const void*>(mixed<expert_gemm<kernels::first::aligned<k_contiguous, row_contiguous>>>);
    *kept++ = reinterpret_cast<const void*>(along_k<moe_route<target, 256>>);
    *kept++ = reinterpret_cast<const void*>(along_k<moe_sort<target>>);
    *kept++ = reinterpret_cast<const void*>(along_rows<moe_combine<target, bfloat16, 4>>);
}

} // namespace tegula
