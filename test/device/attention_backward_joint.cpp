// joint
#include "test/device/attention_words.hpp"
#include "test/device/keep.hpp"

#include <tegula/kernel/attention/warp_specialized/backward_kernels.hpp>

namespace tegula {

TEGULA_KEEP(keys_kernel)
TEGULA_KEEP(queries_kernel)

template <class T, index_t D, attention_mask Mask>
const void** keep_both(const void** kept)
{
    using kernels = warp_specialized_joint_backward_for<target, T, D, D, attention_variant<Mask>>;
    *kept++ = reinterpret_cast<const void*>(keys_kernel<typename kernels::keys>);
    *kept++ = reinterpret_cast<const void*>(queries_kernel<typename kernels::queries>);
    return kept;
}

void keep_all(const void** kept)
{
    kept = keep_both<bfloat16, 128, attention_mask::band>(kept);
    kept = keep_both<half, 64, attention_mask::none>(kept);
}

} // namespace tegula
