// Warp-specialised attention forward of more than 128 columns, and with an output in f32.
//
// full targets: sm_90a
// expect sm_90a: registers <= 168, sass/^USETMAXREG\.TRY_ALLOC/ >= 1
// expect sm_90a [banded]: /setmaxnreg\.inc\.sync\.aligned\.u32 240/ == 1, sass/^HGMMA\.64x80x16\.F32\.BF16/ >= 32
// expect sm_90a [banded]: sass_issue_percent <= 28, sass_shared_percent <= 95
// expect sm_90a [plain]: sass_issue_percent <= 41, sass_shared_percent <= 92
// expect sm_90a [plain]: sass/^HGMMA\.64x(112|128)x16\.F32/ >= 24

#include "test/device/attention_hopper_words.hpp"

namespace tegula {

void keep_all(const void** kept)
{
    *kept++ = reinterpret_cast<const void*>(banded_by_roles<by_roles<bfloat16, 256, 256, attention_mask::band>>);
    *kept++ = reinterpret_cast<const void*>(plain_by_roles<by_roles<half, 192, 128, attention_mask::none>>);
    *kept++ = reinterpret_cast<const void*>(plain_by_roles<by_roles<half, 128, 128, attention_mask::none, float>>);
}

} // namespace tegula
