// Attention by tensor copies with changed scores, in the tiles that keep each to the registers of a consumer.
//
// full targets: sm_90a sm_100a
// expect sm_90a: /wgmma\.mma_async/ >= 8
// expect sm_100a: /tcgen05\.mma/ >= 8
// expect sm_90a [ELi128ELi128ELi128E]: sass_issue_percent <= 91, sass_shared_percent <= 88
// expect sm_90a [ELi96ELi128E]: sass_issue_percent <= 85, sass_shared_percent <= 92
// expect sm_90a [ELi64ELi128E weightsE0E]: sass_issue_percent <= 98, sass_shared_percent <= 100
// expect sm_90a [ELi64ELi128E weightsE1E]: sass_issue_percent <= 622, sass_shared_percent <= 100
// expect sm_90a [ELi48ELi128E weightsE0E]: sass_issue_percent <= 204, sass_shared_percent <= 109
// expect sm_90a [ELi48ELi128E weightsE1E]: sass_issue_percent <= 632, sass_shared_percent <= 109
// expect sm_90a [ELi48ELi64E]: sass_issue_percent <= 1290, sass_shared_percent <= 109
// expect sm_90a [ELi48ELi192E]: sass_issue_percent <= 525, sass_shared_percent <= 116
// expect sm_90a [ELi80ELi256E]: sass_issue_percent <= 29, sass_shared_percent <= 95
// expect sm_100a [ELi128ELi128ELi128E weightsE0E]: sass_issue_percent <= 188, sass_shared_percent <= 100
// expect sm_100a [ELi128ELi128ELi128E weightsE1E maskE0E]: sass_issue_percent <= 236, sass_shared_percent <= 100
// expect sm_100a [ELi128ELi128ELi128E weightsE1E maskE1E]: sass_issue_percent <= 1310, sass_shared_percent <= 100
// expect sm_100a [ELi64ELi128E weightsE0E]: sass_issue_percent <= 192, sass_shared_percent <= 125
// expect sm_100a [ELi64ELi128E weightsE1E]: sass_issue_percent <= 1330, sass_shared_percent <= 125
// expect sm_100a [ELi32ELi128E weightsE0E]: sass_issue_percent <= 447, sass_shared_percent <= 175
// expect sm_100a [ELi32ELi128E weightsE1E]: sass_issue_percent <= 1450, sass_shared_percent <= 175
// expect sm_100a [ELi32ELi64E]: sass_issue_percent <= 2900, sass_shared_percent <= 175
// expect sm_100a [ELi32ELi192E]: sass_issue_percent <= 1180, sass_shared_percent <= 195
// expect sm_100a [ELi32ELi256E]: sass_issue_percent <= 750, sass_shared_percent <= 200
// expect sm_100a [ELi64ELi256E]: sass_issue_percent <= 57, sass_shared_percent <= 150

#include <tegula/kernel/attention/soft_cap.hpp>
#include <tegula/kernel/attention/tcgen05/kernel.hpp>
#include <tegula/kernel/attention/warp_specialized/kernel.hpp>

#include "test/device/attention_words.hpp"
#include "test/device/same_document.hpp"

namespace tegula {

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads)
    changed_by_roles(const __grid_constant__ typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}

using enum attention_sequences;

template <index_t D, index_t ValueDim, class Variant, class Score, attention_sequences Sequences>
constexpr auto kernel_of()
{
    if constexpr (target::chip().tensor_columns > 0)
        return tcgen05_attention<
            tcgen05_attention_tile_for<arch::sm_100a, bfloat16, D, ValueDim, tcgen05_exponentials, Variant, Score>,
            bfloat16, Variant, Score, Sequences>{};
    else
        return warp_specialized_attention<
            warp_specialized_attention_tile_for<target, bfloat16, D, ValueDim, Variant, Score>, bfloat16, Variant,
            Score, Sequences>{};
}

template <class Variant, class Score = unchanged_score, index_t D = 128, index_t ValueDim = D,
          attention_sequences Sequences = of_one_length>
const void* changed()
{
    return reinterpret_cast<const void*>(
        changed_by_roles<decltype(kernel_of<D, ValueDim, Variant, Score, Sequences>())>);
}

void keep_all(const void** kept)
{
    using enum attention_mask;
    using bias = attention_bias;
    constexpr attention_weights dropped = attention_weights::dropped;
    *kept++ = changed<attention_variant<none, bias::tensor>>();
    *kept++ = changed<attention_variant<band, bias::alibi>>();
    *kept++ = changed<attention_variant<band>, soft_cap<target>>();
    *kept++ = changed<attention_variant<none, bias::none, dropped>>();
    *kept++ = changed<attention_variant<band, bias::tensor, dropped>, soft_cap<target>>();
    *kept++ = changed<attention_variant<boolean>>();
    *kept++ = changed<attention_variant<boolean, bias::alibi, dropped>, soft_cap<target>>();
    using both = attention_variant<boolean, bias::tensor>;
    *kept++ = changed<both, soft_cap<target>>();
    using everything = attention_variant<boolean, bias::tensor, dropped>;
    *kept++ = changed<everything, soft_cap<target>, 64>();
    *kept++ = changed<everything, soft_cap<target>, 192, 128>();
    if constexpr (target::chip().tensor_columns > 0)
        *kept++ = changed<everything, soft_cap<target>, 256>();
    *kept++ = changed<attention_variant<band>, same_document>();
    *kept++ = changed<everything, same_document>();
    *kept++ = changed<attention_variant<band>, unchanged_score, 256, 256, of_any_length>();
    *kept++ = changed<attention_variant<band, bias::alibi>, unchanged_score, 128, 128, of_any_length>();
    *kept++ = changed<everything, soft_cap<target>, 192, 128, of_any_length>();
}

} // namespace tegula
