// Attention forward in 8 waves with two stages of keys and values in shared memory: a round of the loop has one barrier, in
// the other tiles two (docs/performance.md has both loops beside each other).
//
// full targets: gfx942
// expect *: matrix >= 64, wide_global_load >= 2, wide_shared_load >= 4
// expect gfx942: /v_mfma_f32_32x32x8_b?f16/ >= 32, /s_barrier/ <= 12
// expect gfx942: loop_matrix_percent >= 79

#include "test/device/attention_words.hpp"

namespace tegula {

void keep_all(const void** kept)
{
    using causal = attention_variant<attention_mask::band>;
    using wide = two_stage_attention_tile_for<target, half, 128>;
    *kept++ = reinterpret_cast<const void*>(banded<attention_kernel<wide, half, causal>>);
    *kept++ =
        reinterpret_cast<const void*>(plain<attention_kernel<two_stage_attention_tile_for<target, bfloat16, 128>>>);
}

} // namespace tegula
