// Attention of 8-bit inputs with scales, heads of 256 columns: on sm_90a, where ptxas widens 8 bits to 16, four warps share
// the columns of the output; a warp that has all of them spills 16 registers.
//
// targets: sm_90a
// full targets: gfx942 gfx950 gfx1201 gfx1250 sm_89
// expect gfx942 gfx950 gfx1201 gfx1250: wide_global_load >= 2, wide_shared_load >= 4
// expect sm_89: /mma\.sync\.aligned\.m16n8k32\.row\.col\.f32\.e4m3\.e4m3\.f32/ >= 64
// expect sm_90a: sass_issue_percent <= 208, sass_shared_percent <= 146
// expect sm_90a: /mma\.sync\.aligned\.m16n8k32\.row\.col\.f32\.e4m3\.e4m3\.f32/ >= 32

#include "test/device/attention_words.hpp"

namespace tegula {

void keep_all(const void** kept)
{
    using tile = attention_tile_for<target, e4m3, 256>;
    *kept++ =
        reinterpret_cast<const void*>(banded<attention_kernel<tile, half, attention_variant<attention_mask::band>>>);
}

} // namespace tegula
