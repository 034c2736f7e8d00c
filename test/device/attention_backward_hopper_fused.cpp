// Attention backward by wgmma in five products: blocks that keep keys add to dQ, too. They exchange dS by shared memory and
// add dQ to sums in memory by bulk copies.
//
// full targets: sm_90a
// expect sm_90a [keys_of_]: registers <= 168, sass/^USETMAXREG\.DEALLOC/ >= 1, sass/^USETMAXREG\.TRY_ALLOC/ >= 1
// expect sm_90a [keys_of_]: sass/^UTMALDG\.4D/ >= 4, sass/^STG\.E\.128/ >= 4, sass/^UBLKCP/ == 2
// expect sm_90a [keys_of_128]: sass/^UBLKRED/ == 1
// expect sm_90a [keys_of_64]: sass/^UBLKRED/ == 1
// expect sm_90a [queries_of_]: sass/^STG\.E\.128/ >= 1, sass/^LDG\.E\.128/ >= 4
// Slices of a product are 16 deep: scores, dO V^T and dQ of 64 columns; dV and dK of 128.
// expect sm_90a [keys_of_128]: sass/^HGMMA\.64x64x16/ == 24, sass/^HGMMA\.64x128x16/ == 8, sass/^STSM/ == 4
// Scores and dO V^T of 128 queries; dQ, dV and dK of 64 columns.
// expect sm_90a [keys_of_64]: sass/^HGMMA\.64x128x16/ == 8, sass/^HGMMA\.64x64x16/ == 24, sass/^STSM/ == 8
// Scores and dO V^T of half of 64 queries, half of the columns of dQ, dV and dK; dQ is added from registers.
// expect sm_90a [keys_of_256]: sass/^HGMMA\.64x32x16/ == 32, sass/^HGMMA\.64x128x16/ == 12, sass/^STSM/ == 4
// expect sm_90a [keys_of_256]: sass/^REDG?\.E\.ADD\.F32x4/ == 16, sass/^UBLKRED/ == 0
// A round computes 64 x 64 scores by four warps, or 64 x 128.
// expect sm_90a [keys_of_64]: sass_issue_percent <= 50, sass_shared_percent <= 122
// expect sm_90a [keys_of_128]: sass_issue_percent <= 36, sass_shared_percent <= 116
// expect sm_90a [keys_of_256]: sass_issue_percent <= 43, sass_shared_percent <= 136
// expect sm_90a: sass_loop_divisions == 0

#include "test/device/attention_words.hpp"
#include "test/device/keep.hpp"

#include <tegula/kernel/attention/warp_specialized/backward_kernels.hpp>

namespace tegula {

TEGULA_KEEP(keys_of_128)
TEGULA_KEEP(keys_of_64)
TEGULA_KEEP(keys_of_256)
TEGULA_KEEP(queries_of_128)
TEGULA_KEEP(queries_of_64)
TEGULA_KEEP(queries_of_256)

void keep_all(const void** kept)
{
    using wide =
        warp_specialized_fused_backward_for<target, bfloat16, 128, 128, attention_variant<attention_mask::band>>;
    *kept++ = reinterpret_cast<const void*>(keys_of_128<wide::keys>);
    *kept++ = reinterpret_cast<const void*>(queries_of_128<wide::queries>);
    using narrow = warp_specialized_fused_backward_for<target, half, 64>;
    *kept++ = reinterpret_cast<const void*>(keys_of_64<narrow::keys>);
    *kept++ = reinterpret_cast<const void*>(queries_of_64<narrow::queries>);
    using widest =
        warp_specialized_fused_backward_for<target, bfloat16, 256, 256, attention_variant<attention_mask::band>>;
    *kept++ = reinterpret_cast<const void*>(keys_of_256<widest::keys>);
    *kept++ = reinterpret_cast<const void*>(queries_of_256<widest::queries>);
}

} // namespace tegula
