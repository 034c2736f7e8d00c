// Attention forward in f16: every head dimension's tile, with and without a band.
//
// targets: gfx90a gfx942 gfx1100 gfx1201 sm_80 sm_89 sm_90a
// expect *: matrix >= 8, wide_global_load >= 2, wide_shared_load >= 4, wide_global_store >= 1

#include "test/device/attention_words.hpp"

namespace tegula {

void keep_all(const void** kept)
{
    *kept++ = keep_banded<half, 128>();
    *kept++ = keep_plain<half, 64>();
}

} // namespace tegula
