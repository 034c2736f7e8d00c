// Attention backward by tensor copies of sequences of any length: rows behind the end of a sequence become zeros in shared
// memory.
//
// full targets: sm_90a sm_100a
// expect sm_90a [gradients_by_roles]: /wgmma\.mma_async/ >= 8, /fence\.proxy\.async/ >= 2
// expect sm_100a: /tcgen05\.mma/ >= 8, /fence\.proxy\.async/ >= 2

#include <tegula/kernel/attention/tcgen05/backward_kernels.hpp>
#include <tegula/kernel/attention/warp_specialized/backward_kernels.hpp>

#include "test/device/attention_words.hpp"
#include "test/device/keep.hpp"

namespace tegula {

TEGULA_KEEP(gradients_by_roles)
TEGULA_KEEP(sums_of_dq)

template <index_t D, class Variant>
void keep(const void**& kept)
{
    constexpr auto any = attention_sequences::of_any_length;
    if constexpr (target::chip().tensor_columns > 0) {
        using kernels = tcgen05_backward_for<arch::sm_100a, bfloat16, D, D, Variant, bfloat16, unchanged_score, any>;
        *kept++ = reinterpret_cast<const void*>(gradients_by_roles<typename kernels::keys>);
        *kept++ = reinterpret_cast<const void*>(gradients_by_roles<typename kernels::queries>);
    } else {
        using kernels = warp_specialized_backward_for<target, bfloat16, D, D, Variant, bfloat16, unchanged_score, any>;
        *kept++ = reinterpret_cast<const void*>(gradients_by_roles<typename kernels::keys>);
        *kept++ = reinterpret_cast<const void*>(gradients_by_roles<typename kernels::queries>);
        if constexpr (D <= 128) {
            using fused =
                warp_specialized_fused_backward_for<target, bfloat16, D, D, Variant, bfloat16, unchanged_score, any>;
            *kept++ = reinterpret_cast<const void*>(gradients_by_roles<typename fused::keys>);
            *kept++ = reinterpret_cast<const void*>(sums_of_dq<typename fused::queries>);
        }
    }
}

void keep_all(const void** kept)
{
    using band = attention_variant<attention_mask::band>;
    keep<64, attention_variant<>>(kept);
    keep<64, attention_variant<attention_mask::band, attention_bias::alibi, attention_weights::dropped>>(kept);
    keep<128, band>(kept);
    if constexpr (target::chip().tensor_columns == 0)
        keep<256, band>(kept);
}

} // namespace tegula
