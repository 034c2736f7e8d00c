// Attention backward by wgmma of 64 and of 256 columns; attention_backward_hopper.cpp has 128.
//
// full targets: sm_90a
// expect sm_90a: registers <= 168, sass/^USETMAXREG\.DEALLOC/ >= 1, sass/^USETMAXREG\.TRY_ALLOC/ >= 1
// expect sm_90a: sass/^UTMALDG\.4D/ >= 4, sass/^STG\.E\.128/ >= 4
// Slices of a product are 16 deep: scores and dO V^T along the columns; dV and dK, or dQ, along 64 rows.
// expect sm_90a [ELi64ELi64E]: sass/^HGMMA\.64x64x16/ >= 8
// expect sm_90a [keys_kernel]: sass/^UBLKCP/ == 2, sass/^MUFU\.EX2/ >= 32
// 256 columns: dK has both products over 64 queries, dV the scores alone; dQ has 32 keys a round.
// expect sm_90a [ELi256ELi256ELi2E]: sass/^HGMMA\.64x64x16/ == 48, sass/^HGMMA\.64x256x16/ == 8
// expect sm_90a [ELi256ELi256ELi3E]: sass/^HGMMA\.64x32x16/ == 32, sass/^HGMMA\.64x256x16/ == 2
// A round computes 64 x 64 scores by four warps.
// expect sm_90a [ELi64ELi64E]: sass_issue_percent <= 65, sass_shared_percent <= 115
// expect sm_90a [ELi256ELi256ELi2E]: sass_issue_percent <= 29, sass_shared_percent <= 110
// expect sm_90a [ELi256ELi256ELi3E]: sass_issue_percent <= 36, sass_shared_percent <= 133
// expect sm_90a: sass_loop_divisions == 0

#include "test/device/attention_words.hpp"
#include "test/device/keep.hpp"

#include <tegula/kernel/attention/warp_specialized/backward_kernels.hpp>

namespace tegula {

TEGULA_KEEP(keys_kernel)
TEGULA_KEEP(queries_kernel)

template <class T, index_t D, attention_mask Mask>
const void** keep_both(const void** kept)
{
    using kernels = warp_specialized_backward_for<target, T, D, D, attention_variant<Mask>>;
    *kept++ = reinterpret_cast<const void*>(keys_kernel<typename kernels::keys>);
    *kept++ = reinterpret_cast<const void*>(queries_kernel<typename kernels::queries>);
    return kept;
}

void keep_all(const void** kept)
{
    kept = keep_both<bfloat16, 256, attention_mask::band>(kept);
    keep_both<half, 64, attention_mask::none>(kept);
}

} // namespace tegula
