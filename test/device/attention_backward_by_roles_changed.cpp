// Attention backward by wgmma and by tcgen05 with changed scores: no spill, whatever meets.
//
// full targets: sm_90a sm_100a
// expect sm_90a [changed_gradients]: /wgmma\.mma_async/ >= 8
// expect sm_100a [changed_gradients]: /tcgen05\.mma/ >= 8
// expect sm_100a [rowsE0E ELi128ELi128ELi4ELi16ELb0E weightsE0E]: sass_issue_percent <= 198, sass_shared_percent <= 153
// expect sm_100a [rowsE0E ELi128ELi128ELi4ELi16ELb0E weightsE1E]: sass_issue_percent <= 604, sass_shared_percent <= 153
// expect sm_100a [rowsE0E ELi128ELi128ELi4ELi16ELb1E weightsE0E]: sass_issue_percent <= 163, sass_shared_percent <= 133
// expect sm_100a [rowsE0E ELi128ELi128ELi4ELi16ELb1E weightsE1E]: sass_issue_percent <= 492, sass_shared_percent <= 133
// expect sm_100a [rowsE0E ELi128ELi64ELi4ELi16ELb0E weightsE1E]: sass_issue_percent <= 843, sass_shared_percent <= 145
// expect sm_100a [rowsE0E ELi128ELi64ELi4ELi16ELb1E weightsE1E]: sass_issue_percent <= 638, sass_shared_percent <= 122
// expect sm_100a [rowsE0E ELi64ELi64ELi4ELi16ELb0E weightsE0E]: sass_issue_percent <= 383, sass_shared_percent <= 180
// expect sm_100a [rowsE0E ELi64ELi64ELi4ELi16ELb0E weightsE1E]: sass_issue_percent <= 1196, sass_shared_percent <= 180
// expect sm_100a [rowsE1E ELi128ELi128ELi4ELi16ELb0E weightsE0E]: sass_issue_percent <= 246, sass_shared_percent <= 84
// expect sm_100a [rowsE1E ELi128ELi128ELi4ELi16ELb0E weightsE1E]: sass_issue_percent <= 1060, sass_shared_percent <= 84
// expect sm_100a [rowsE1E ELi128ELi64ELi4ELi16ELb0E weightsE1E]: sass_issue_percent <= 1316, sass_shared_percent <= 81
// expect sm_100a [rowsE1E ELi64ELi64ELi4ELi16ELb0E weightsE0E]: sass_issue_percent <= 480, sass_shared_percent <= 84
// expect sm_100a [rowsE1E ELi64ELi64ELi4ELi16ELb0E weightsE1E]: sass_issue_percent <= 2116, sass_shared_percent <= 84
// expect sm_90a [rowsE0E ELi128ELi128ELi2ELi32E ELi128ELb1E weightsE0E]: sass_issue_percent <= 122, sass_shared_percent <= 147
// expect sm_90a [rowsE0E ELi128ELi128ELi2ELi32E ELi128ELb1E weightsE1E]: sass_issue_percent <= 309, sass_shared_percent <= 149
// expect sm_90a [rowsE0E ELi128ELi128ELi4ELi32E ELi128ELb0E weightsE0E]: sass_issue_percent <= 135, sass_shared_percent <= 128
// expect sm_90a [rowsE0E ELi128ELi128ELi4ELi32E ELi128ELb0E weightsE1E]: sass_issue_percent <= 340, sass_shared_percent <= 128
// expect sm_90a [rowsE0E ELi128ELi64ELi2ELi32E ELi128ELb1E weightsE1E]: sass_issue_percent <= 420, sass_shared_percent <= 156
// expect sm_90a [rowsE0E ELi128ELi64ELi4ELi32E ELi128ELb0E weightsE1E]: sass_issue_percent <= 527, sass_shared_percent <= 133
// expect sm_90a [rowsE0E ELi64ELi64ELi2ELi64E ELi128ELb1E weightsE0E]: sass_issue_percent <= 206, sass_shared_percent <= 144
// expect sm_90a [rowsE0E ELi64ELi64ELi2ELi64E ELi128ELb1E weightsE1E]: sass_issue_percent <= 537, sass_shared_percent <= 144
// expect sm_90a [rowsE0E ELi64ELi64ELi4ELi64E ELi128ELb0E weightsE0E]: sass_issue_percent <= 237, sass_shared_percent <= 117
// expect sm_90a [rowsE0E ELi64ELi64ELi4ELi64E ELi128ELb0E weightsE1E]: sass_issue_percent <= 662, sass_shared_percent <= 117
// expect sm_90a [rowsE1E ELi128ELi128ELi4ELi32E ELi128ELb0E weightsE0E]: sass_issue_percent <= 167, sass_shared_percent <= 134
// expect sm_90a [rowsE1E ELi128ELi128ELi4ELi32E ELi128ELb0E weightsE1E]: sass_issue_percent <= 463, sass_shared_percent <= 134
// expect sm_90a [rowsE1E ELi128ELi64ELi4ELi32E ELi128ELb0E weightsE1E]: sass_issue_percent <= 608, sass_shared_percent <= 126
// expect sm_90a [rowsE1E ELi64ELi64ELi4ELi64E ELi128ELb0E weightsE0E]: sass_issue_percent <= 273, sass_shared_percent <= 101
// expect sm_90a [rowsE1E ELi64ELi64ELi4ELi64E ELi128ELb0E weightsE1E]: sass_issue_percent <= 905, sass_shared_percent <= 101
// expect sm_90a sm_100a: sass_loop_divisions == 0

#include <tegula/kernel/attention/soft_cap.hpp>
#include <tegula/kernel/attention/tcgen05/backward_kernels.hpp>
#include <tegula/kernel/attention/warp_specialized/backward_kernels.hpp>

#include "test/device/attention_words.hpp"
#include "test/device/keep.hpp"

namespace tegula {

TEGULA_KEEP(changed_gradients)
TEGULA_KEEP(sums_of_dq)

template <index_t D, index_t ValueDim, attention_mask Mask, attention_bias Bias, attention_weights Weights,
          class Score = unchanged_score>
void keep(const void**& kept)
{
    using variant = attention_variant<Mask, Bias, Weights>;
    if constexpr (target::chip().tensor_columns > 0) {
        using kernels = tcgen05_backward_for<arch::sm_100a, bfloat16, D, ValueDim, variant, bfloat16, Score>;
        *kept++ = reinterpret_cast<const void*>(changed_gradients<typename kernels::keys>);
        *kept++ = reinterpret_cast<const void*>(changed_gradients<typename kernels::queries>);
        if constexpr (D == 128) {
            using fused = tcgen05_fused_backward_for<arch::sm_100a, bfloat16, D, ValueDim, variant, bfloat16, Score>;
            *kept++ = reinterpret_cast<const void*>(changed_gradients<typename fused::keys>);
            *kept++ = reinterpret_cast<const void*>(sums_of_dq<typename fused::queries>);
        }
    } else {
        using kernels = warp_specialized_backward_for<target, bfloat16, D, ValueDim, variant, bfloat16, Score>;
        *kept++ = reinterpret_cast<const void*>(changed_gradients<typename kernels::keys>);
        *kept++ = reinterpret_cast<const void*>(changed_gradients<typename kernels::queries>);
        using fused = warp_specialized_fused_backward_for<target, bfloat16, D, ValueDim, variant, bfloat16, Score>;
        *kept++ = reinterpret_cast<const void*>(changed_gradients<typename fused::keys>);
        *kept++ = reinterpret_cast<const void*>(sums_of_dq<typename fused::queries>);
    }
}

template <index_t D, index_t ValueDim>
void keep_changes(const void**& kept)
{
    using enum attention_mask;
    using attention_bias::tensor;
    constexpr attention_weights all = attention_weights::all, dropped = attention_weights::dropped;
    keep<D, ValueDim, boolean, tensor, dropped>(kept);
    keep<D, ValueDim, boolean, attention_bias::alibi, dropped, soft_cap<target>>(kept);
    keep<D, ValueDim, band, attention_bias::none, dropped>(kept);
    keep<D, ValueDim, band, attention_bias::alibi, dropped>(kept);
    keep<D, ValueDim, band, tensor, all, soft_cap<target>>(kept);
}

void keep_all(const void** kept)
{
    keep_changes<64, 64>(kept);
    keep_changes<128, 128>(kept);
    keep<128, 64, attention_mask::boolean, attention_bias::tensor, attention_weights::dropped, soft_cap<target>>(kept);
}

} // namespace tegula
