// Attention backward by wgmma: dK and dV over the queries, dQ over the keys; scores from shared memory, P and dS in registers
// as operands, gradients in the consumers' registers. 384 threads start with 168 registers each.
//
// targets: sm_90a
// expect sm_90a: registers <= 168, sass/^USETMAXREG\.DEALLOC/ >= 1, sass/^USETMAXREG\.TRY_ALLOC/ >= 1
// expect sm_90a: sass/^UTMALDG\.4D/ >= 4, sass/^STG\.E\.128/ >= 4
// Slices of a product are 16 deep: scores and dO V^T along the columns; dV and dK, or dQ, along 64 rows.
// expect sm_90a [ELi128ELi128E]: sass/^HGMMA\.64x64x16/ == 16
// expect sm_90a [keys_kernel]: sass/^UBLKCP/ == 2, sass/^MUFU\.EX2/ >= 32
// A round computes 64 x 64 scores by four warps.
// expect sm_90a [keys_kernel]: sass_issue_percent <= 38, sass_shared_percent <= 101
// expect sm_90a [queries_kernel]: sass_issue_percent <= 40, sass_shared_percent <= 100
// expect sm_90a: sass_loop_divisions == 0

#include "test/device/attention_words.hpp"
#include "test/device/keep.hpp"

#include <tegula/kernel/attention/warp_specialized/backward_kernels.hpp>

namespace tegula {

TEGULA_KEEP(keys_kernel)
TEGULA_KEEP(queries_kernel)

void keep_all(const void** kept)
{
    using kernels = warp_specialized_backward_for<target, bfloat16, 128, 128, attention_variant<attention_mask::band>>;
    *kept++ = reinterpret_cast<const void*>(keys_kernel<typename kernels::keys>);
    *kept++ = reinterpret_cast<const void*>(queries_kernel<typename kernels::queries>);
}

} // namespace tegula
