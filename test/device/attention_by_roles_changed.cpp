// Attention by tensor copies with changed scores: what keeps to the registers of a consumer.
//
// full targets: sm_90a sm_100a
// expect sm_90a sm_100a: registers <= 168

#include <tegula/kernel/attention/soft_cap.hpp>
#include <tegula/kernel/attention/tcgen05/kernel.hpp>
#include <tegula/kernel/attention/warp_specialized/kernel.hpp>

#include "test/device/attention_words.hpp"

namespace tegula {

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads)
    changed_by_roles(const __grid_constant__ typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}

template <class Variant, class Score = unchanged_score>
const void* changed()
{
    if constexpr (target::chip().tensor_columns > 0)
        return reinterpret_cast<const void*>(
            changed_by_roles<
                tcgen05_attention<tcgen05_attention_tile_for<arch::sm_100a, bfloat16, 128>, bfloat16, Variant, Score>>);
    else
        return reinterpret_cast<const void*>(
            changed_by_roles<warp_specialized_attention<warp_specialized_attention_tile_for<target, bfloat16, 128>,
                                                        bfloat16, Variant, Score>>);
}

void keep_all(const void** kept)
{
    using enum attention_mask;
    *kept++ = changed<attention_variant<none, attention_bias::tensor>>();
    *kept++ = changed<attention_variant<band, attention_bias::alibi>>();
    *kept++ = changed<attention_variant<band>, soft_cap<target>>();
}

} // namespace tegula
