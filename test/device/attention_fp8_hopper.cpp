// Warp-specialised attention of 8 bits: products by wgmma, tiles of V transposed by two warps of the producing warpgroup.
// Beside these consumers have 232 registers. Products with a tile of V begin with sums of 0, which are added to O.
//
// targets: sm_90a
// expect sm_90a: registers <= 168, sass/^USETMAXREG\.DEALLOC\.CTAPOOL 0x28/ == 1
// expect sm_90a [banded]: sass/^QGMMA\.64x96x32\.F32\.E4M3\.E4M3/ >= 8, sass/^QGMMA\.64x128x32\.F32\.E4M3\.E4M3/ >= 6
// expect sm_90a [plain]: sass/^QGMMA\.64x128x32\.F32\.E5M2\.E5M2/ >= 4, sass/^QGMMA\.64x64x32\.F32\.E5M2\.E5M2/ >= 8
// expect sm_90a [banded]: sass/^STSM\.16\.M88\.4/ == 3, sass/^LDSM\.16\.MT88\.4/ == 3
// expect sm_90a [plain]: sass/^STSM\.16\.M88\.4/ == 4, sass/^LDSM\.16\.MT88\.4/ == 4
// expect sm_90a: sass/^QGMMA\.64x(64|128)x32\S* R\d+. R\d+. gdesc\[UR\d+\]. RZ/ == 2
// expect sm_90a: /fence\.proxy\.async/ >= 1
// expect sm_90a [banded]: sass_issue_percent <= 123, sass_shared_percent <= 117
// expect sm_90a [plain]: sass_issue_percent <= 190, sass_shared_percent <= 113

#include "test/device/attention_hopper_words.hpp"

namespace tegula {

void keep_all(const void** kept)
{
    *kept++ = reinterpret_cast<const void*>(banded_by_roles<by_roles<e4m3, 128, 128, attention_mask::band, half>>);
    *kept++ = reinterpret_cast<const void*>(plain_by_roles<by_roles<e5m2, 64, 64, attention_mask::none, float>>);
}

} // namespace tegula
