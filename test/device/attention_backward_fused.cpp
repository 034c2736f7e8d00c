// Attention backward in five products on CDNA: blocks that keep keys add to dQ, too. They exchange dS by shared memory and add
// dQ to sums in memory by atomic additions of floats, which return nothing. Left out are three forms by clang 19, which spills
// 1 to 35 registers of them on gfx942.
//
// targets: gfx942
// full targets: gfx90a gfx950
// expect * [keys]: wide_global_load >= 8, wide_shared_load >= 24, wide_global_store >= 2
// expect gfx942 gfx950 [keys]: /global_atomic_add_f32/ >= 8, /global_atomic_cmpswap/ == 0
// On gfx90a the instruction does not work on fine-grained memory, so that clang 22 compiles loops.
// expect gfx90a [keys]: /global_atomic_(add_f32|cmpswap)/ >= 8
// expect * [queries]: /global_atomic/ == 0, wide_global_store >= 1
// expect * [keys]: loop_divisions == 0
// expect gfx90a gfx942 [keys]: /v_mfma_f32_(16x16x16|32x32x8)_?b?f16/ >= 48
// expect gfx950 [keys]: /v_mfma_f32_(16x16x32|32x32x16)_b?f16/ >= 24
// expect gfx942 clang22 [4keys maskE1]: loop_matrix_percent >= 54
// expect gfx942 clang22 [keys Li64ELi64ELi4E maskE3]: loop_matrix_percent >= 6.6
// expect gfx942 clang22 [keys Li128ELi128ELi4E maskE3]: loop_matrix_percent >= 12
// expect gfx942 clang22 [keys maskE2]: loop_matrix_percent >= 22
// expect gfx950 [4keys maskE1]: loop_matrix_percent >= 32
// expect gfx950 [keys Li64ELi64ELi4E maskE3]: loop_matrix_percent >= 3.6
// expect gfx950 [keys Li128ELi128ELi4E maskE3]: loop_matrix_percent >= 7.1
// expect gfx950 [keys maskE2]: loop_matrix_percent >= 13
// expect gfx90a clang22 [keys_of_64]: loop_matrix_percent >= 13
// expect gfx90a clang22 [keys_of_128]: loop_matrix_percent >= 13
// expect gfx90a clang22 [4keys maskE1]: loop_matrix_percent >= 13
// expect gfx90a clang22 [keys Li64ELi64ELi4E maskE3]: loop_matrix_percent >= 7
// expect gfx90a clang22 [keys Li128ELi128ELi4E maskE3]: loop_matrix_percent >= 9
// expect gfx90a clang22 [keys maskE2]: loop_matrix_percent >= 11

#include <tegula/kernel/attention/soft_cap.hpp>

#include "test/device/attention_gradients.hpp"
#include "test/device/keep.hpp"

namespace tegula {

TEGULA_KEEP(keys_of_128)
TEGULA_KEEP(keys_of_64)

template <class T, index_t D, attention_mask Mask, attention_bias Bias = attention_bias::none,
          attention_weights Weights = attention_weights::all, class Score = unchanged_score>
void keep(const void**& kept)
{
    using variant = attention_variant<Mask, Bias, Weights>;
    keep_gradients<attention_fused_backward_for<target, T, D, D, variant, T, Score>>(kept);
}

void keep_all(const void** kept)
{
    using enum attention_mask;
    constexpr attention_weights dropped = attention_weights::dropped;
    using narrow = attention_fused_backward_for<target, half, 64>;
    *kept++ = reinterpret_cast<const void*>(keys_of_64<narrow::keys>);
    *kept++ = reinterpret_cast<const void*>(queries<narrow::queries>);
    using wide = attention_fused_backward_for<target, bfloat16, 128, 128, attention_variant<band>>;
    *kept++ = reinterpret_cast<const void*>(keys_of_128<wide::keys>);
    *kept++ = reinterpret_cast<const void*>(queries<wide::queries>);
    keep<half, 64, boolean, attention_bias::alibi, dropped, soft_cap<target>>(kept);
#if !defined(__clang__) || __clang_major__ >= 22
    keep<bfloat16, 64, band>(kept);
    keep<bfloat16, 128, boolean, attention_bias::tensor, dropped, soft_cap<target>>(kept);
    keep<half, 128, lists, attention_bias::alibi>(kept);
#endif
}

} // namespace tegula
