// Attention backward by tensor copies of sequences of any length: rows behind the end of a sequence become zeros in shared
// memory.
//
// full targets: sm_90a sm_100a
// expect sm_90a [gradients_by_roles]: /wgmma\.mma_async/ >= 8, /fence\.proxy\.async/ >= 2
// expect sm_100a: /tcgen05\.mma/ >= 8, /fence\.proxy\.async/ >= 2
// expect sm_90a [gradients_by_roles ELi64ELi64ELi4ELi64ELi32E]: sass_issue_percent <= 68, sass_shared_percent <= 115
// expect sm_90a [gradients_by_roles ELi64ELi64ELi2ELi128E]: sass_issue_percent <= 51, sass_shared_percent <= 122
// expect sm_90a [gradients_by_roles ELi64ELi64ELi4ELi64ELi16E]: sass_issue_percent <= 622, sass_shared_percent <= 117
// expect sm_90a [gradients_by_roles ELi64ELi64ELi2ELi64E]: sass_issue_percent <= 355, sass_shared_percent <= 144
// expect sm_90a [gradients_by_roles ELi128ELi128ELi4E]: sass_issue_percent <= 41, sass_shared_percent <= 102
// expect sm_90a [gradients_by_roles ELi128ELi128ELi2E]: sass_issue_percent <= 38, sass_shared_percent <= 116
// expect sm_90a [gradients_by_roles ELi256ELi256ELi2E Lb0E]: sass_issue_percent <= 28, sass_shared_percent <= 110
// expect sm_90a [gradients_by_roles ELi256ELi256ELi2E Lb1E]: sass_issue_percent <= 44, sass_shared_percent <= 136
// expect sm_90a [gradients_by_roles ELi256ELi256ELi3E]: sass_issue_percent <= 37, sass_shared_percent <= 134
// expect sm_100a [gradients_by_roles ELi64ELi64ELi4ELi32E]: sass_issue_percent <= 198, sass_shared_percent <= 178
// expect sm_100a [gradients_by_roles rowsE0E ELi64ELi64ELi4ELi16E]: sass_issue_percent <= 975, sass_shared_percent <= 230
// expect sm_100a [gradients_by_roles rowsE1E ELi64ELi64ELi4ELi16E]: sass_issue_percent <= 1775, sass_shared_percent <= 151
// expect sm_100a [gradients_by_roles ELi128ELi128ELi4E]: sass_issue_percent <= 106, sass_shared_percent <= 151
// expect sm_90a sm_100a: sass_loop_divisions == 0

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
        using fused =
            warp_specialized_fused_backward_for<target, bfloat16, D, D, Variant, bfloat16, unchanged_score, any>;
        *kept++ = reinterpret_cast<const void*>(gradients_by_roles<typename fused::keys>);
        *kept++ = reinterpret_cast<const void*>(sums_of_dq<typename fused::queries>);
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
