// Attention backward by tcgen05: dK and dV over the queries, dQ over the keys; scores and gradients in tensor memory, P and
// dS in it as operands. 384 threads start with 168 registers each.
//
// targets: sm_100a
// full targets: sm_103a
// expect sm_100a sm_103a: registers <= 168, sass/^USETMAXREG\.DEALLOC/ >= 1, sass/^USETMAXREG\.TRY_ALLOC/ >= 1
// expect sm_100a sm_103a: /tcgen05\.alloc/ == 1, /tcgen05\.dealloc/ == 1, sass/^UTMALDG\.4D/ >= 4, sass/^STG\.E\.128/ >= 4
// For a chunk of 32 columns scores and dO V^T are loaded. Then keys_kernel stores P and dS, and queries_kernel dS.
// expect sm_100a sm_103a: /tcgen05\.ld\.sync\.aligned\.32x32b\.x32/ == 2, /ex2\.approx/ == 64
// Arithmetic takes two floats at a time; numbers of queries that go by come to shared memory.
// expect sm_100a sm_103a: sass/^FFMA2/ >= 32, sass/^FMUL2/ >= 16
// expect sm_100a sm_103a [keys_kernel]: sass/^UBLKCP/ == 2
// Kept rows are stored to tensor memory, as operands, by as many words: of Q and K, and of V and dO. With 128 columns there
// is no room for K.
// expect sm_100a sm_103a [keys_kernel]: /tcgen05\.st\.sync\.aligned\.32x32b\.x16/ >= 3
// expect sm_100a sm_103a [queries_kernel]: /tcgen05\.st\.sync\.aligned\.32x32b\.x16/ == 3
// Slices of a product are 16 deep: scores and dO V^T along the columns; dV and dK, or dQ, along 64 rows. Only K of 128
// columns is read from shared memory.
// expect sm_100a sm_103a [keys_kernel]: sass/^UTCHMMA tmem/ == 16
// expect sm_100a sm_103a [queries_kernel]: sass/^UTCHMMA tmem/ >= 12, sass/^UTCHMMA gdesc/ == 0
// expect sm_100a sm_103a [ELi128ELi128E]: sass/^UTCHMMA gdesc/ <= 8
// expect sm_100a sm_103a [ELi64ELi64E]: sass/^UTCHMMA gdesc/ == 0
// Arithmetic takes more issue slots than the lane that multiplies.
// expect sm_100a [ELi128ELi128E]: sass_issue_percent <= 102, sass_shared_percent <= 152
// expect sm_100a [ELi64ELi64E]: sass_issue_percent <= 189, sass_shared_percent <= 178
// expect sm_100a [queries_kernel]: sass_shared_percent <= 84
// expect sm_100a sm_103a: sass_loop_divisions == 0

#include "test/device/attention_words.hpp"
#include "test/device/keep.hpp"

#include <tegula/kernel/attention/tcgen05/backward_kernels.hpp>

namespace tegula {

TEGULA_KEEP(keys_kernel)
TEGULA_KEEP(queries_kernel)

template <class T, index_t D, attention_mask Mask>
const void** keep_both(const void** kept)
{
    using kernels = tcgen05_backward_for<target, T, D, D, attention_variant<Mask>>;
    *kept++ = reinterpret_cast<const void*>(keys_kernel<typename kernels::keys>);
    *kept++ = reinterpret_cast<const void*>(queries_kernel<typename kernels::queries>);
    return kept;
}

void keep_all(const void** kept)
{
    kept = keep_both<bfloat16, 128, attention_mask::band>(kept);
    keep_both<half, 64, attention_mask::none>(kept);
}

} // namespace tegula
