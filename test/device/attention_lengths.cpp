// Attention by tensor copies of sequences of any length: values behind the end of a sequence become zeros in shared memory.
//
// full targets: sm_90a sm_100a
// expect sm_90a: /wgmma\.mma_async/ >= 8, registers <= 168, /fence\.proxy\.async/ >= 1
// expect sm_100a: /tcgen05\.mma/ >= 8, /fence\.proxy\.async/ >= 1
// expect sm_90a [ELi128ELi128ELi128E]: sass_issue_percent <= 43, sass_shared_percent <= 88
// expect sm_90a [ELi64ELi64E]: sass_issue_percent <= 81, sass_shared_percent <= 82
// expect sm_100a [ELi128ELi128ELi128E]: sass_issue_percent <= 74, sass_shared_percent <= 100
// expect sm_100a [ELi64ELi64E]: sass_issue_percent <= 141, sass_shared_percent <= 100

#include <tegula/kernel/attention/tcgen05/kernel.hpp>
#include <tegula/kernel/attention/warp_specialized/kernel.hpp>

#include "test/device/attention_words.hpp"

namespace tegula {

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads)
    lengths_by_roles(const __grid_constant__ typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}

template <class T, index_t D, attention_mask Mask>
constexpr auto kernel_of()
{
    constexpr auto any = attention_sequences::of_any_length;
    using variant = attention_variant<Mask>;
    if constexpr (target::chip().tensor_columns > 0)
        return tcgen05_attention<tcgen05_attention_tile_for<arch::sm_100a, T, D>, T, variant, unchanged_score, any>{};
    else
        return warp_specialized_attention<warp_specialized_attention_tile_for<target, T, D>, T, variant,
                                          unchanged_score, any>{};
}

template <class T, index_t D, attention_mask Mask>
const void* any_length()
{
    return reinterpret_cast<const void*>(lengths_by_roles<decltype(kernel_of<T, D, Mask>())>);
}

void keep_all(const void** kept)
{
    *kept++ = any_length<bfloat16, 128, attention_mask::band>();
    *kept++ = any_length<half, 64, attention_mask::none>();
}

} // namespace tegula
