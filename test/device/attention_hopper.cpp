// Warp-specialised attention forward: tensor copies in, wgmma from shared memory and from registers, registers shared out
// among the warpgroups. 384 threads start with 168 registers each, 512 with 128.
//
// targets: sm_90a
// expect sm_90a [banded]: registers <= 168, sass/^HGMMA\.64x128x16\.F32\.BF16/ >= 32, sass/^UTMALDG\.4D/ >= 8
// expect sm_90a [plain]: registers <= 128, sass/^HGMMA\.64x(112|64)x16\.F32 / >= 22, sass/^UTMALDG\.4D/ >= 5
// expect sm_90a: sass/^USETMAXREG\.DEALLOC/ >= 1, sass/^USETMAXREG\.TRY_ALLOC/ >= 1
// expect sm_90a [banded]: sass/^MUFU\.EX2/ >= 128
// expect sm_90a [plain]: sass/^MUFU\.EX2/ >= 112
// expect sm_90a [banded]: sass/^STG\.E\.128/ >= 4
// expect sm_90a [banded]: sass_issue_percent <= 41, sass_shared_percent <= 88
// expect sm_90a [plain]: sass_issue_percent <= 81, sass_shared_percent <= 82

#include "test/device/attention_hopper_words.hpp"

namespace tegula {

void keep_all(const void** kept)
{
    *kept++ = reinterpret_cast<const void*>(banded_by_roles<by_roles<bfloat16, 128, 128, attention_mask::band>>);
    *kept++ = reinterpret_cast<const void*>(plain_by_roles<by_roles<half, 64, 64, attention_mask::none>>);
}

} // namespace tegula
