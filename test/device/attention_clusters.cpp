// Attention by wgmma in clusters of two blocks: each copies half of a tile of keys and of values to both.
//
// full targets: sm_90a
// expect sm_90a: registers <= 168, sass/^USETMAXREG\.DEALLOC/ >= 1, sass/^USETMAXREG\.TRY_ALLOC/ >= 1
// expect sm_90a: sass/^UTMALDG\.4D\.MULTICAST/ == 3, /mbarrier\.arrive\.shared::cluster/ >= 2
// Scores of 128 keys along 128 columns, and the output of 128 columns along 128 keys: before the loop, in it, and behind.
// expect sm_90a: sass/^HGMMA\.64x128x16/ == 32
// expect sm_90a: sass_issue_percent <= 41, sass_shared_percent <= 88

#include "test/device/attention_words.hpp"
#include "test/device/keep.hpp"

#include <tegula/kernel/attention/warp_specialized/kernel.hpp>

namespace tegula {

TEGULA_KEEP(clustered)

void keep_all(const void** kept)
{
    using tile = clustered_attention_tile_for<target, bfloat16, 128>;
    *kept++ = reinterpret_cast<const void*>(clustered<warp_specialized_attention<tile, bfloat16>>);
}

} // namespace tegula
