// Attention backward by tcgen05 in five products: blocks that keep keys add to dQ, too. Both warpgroups share tiles of
// 128 x 128 scores. dS goes to the tensor core by tensor memory and by shared memory, and dQ from tensor memory to sums in
// memory by bulk copies. Also with slopes, for sequences of any length.
//
// full targets: sm_100a sm_103a
// expect sm_100a sm_103a [keys_kernel]: registers <= 168, sass/^USETMAXREG\.DEALLOC/ >= 1, sass/^USETMAXREG\.TRY_ALLOC/ >= 1
// expect sm_100a sm_103a [keys_kernel]: sass/^UTMALDG\.4D/ >= 4, sass/^STG\.E\.128/ >= 4, sass/^UBLKCP/ == 2
// expect sm_100a sm_103a [queries_kernel]: sass/^STG\.E\.128/ >= 1, sass/^LDG\.E\.128/ >= 8
// The lane that issues the products: instructions of its loop for a hundred of these.
// expect sm_100a sm_103a [keys_kernel]: sass_loop_per_hundred <= 800
// expect sm_100a [keys_kernel]: sass_issue_percent <= 59, sass_shared_percent <= 152
// expect sm_100a [lengths_kernel]: sass_issue_percent <= 83, sass_shared_percent <= 152
// Two halves of dQ leave in the loop, and those of the last tile behind it. All kept rows are read from shared memory.
// expect sm_100a sm_103a [keys_kernel]: sass/^UBLKRED/ == 4, sass/^UTCHMMA tmem/ == 16, sass/^UTCHMMA gdesc/ == 24
// A chunk of 32 columns stores P and later dS to tensor memory, and dS to shared memory by vectors of 16 bytes. Loads of 64
// columns are of dQ, and of dK and dV at the end.
// expect sm_100a sm_103a [keys_kernel]: /tcgen05\.st\.sync\.aligned\.32x32b\.x16/ == 4, /tcgen05\.ld\.sync\.aligned\.32x32b\.x64/ == 4
// expect sm_100a sm_103a [lengths_kernel]: registers <= 168, /fence\.proxy\.async/ >= 2, sass/^UTCHMMA gdesc/ == 24
// expect sm_100a sm_103a: sass_loop_divisions == 0

#include "test/device/attention_words.hpp"
#include "test/device/keep.hpp"

#include <tegula/kernel/attention/tcgen05/backward_kernels.hpp>

namespace tegula {

TEGULA_KEEP(keys_kernel)
TEGULA_KEEP(queries_kernel)
TEGULA_KEEP(lengths_kernel)
TEGULA_KEEP(sums_of_lengths)

void keep_all(const void** kept)
{
    using kernels = tcgen05_fused_backward_for<target, bfloat16, 128, 128, attention_variant<attention_mask::band>>;
    *kept++ = reinterpret_cast<const void*>(keys_kernel<kernels::keys>);
    *kept++ = reinterpret_cast<const void*>(queries_kernel<kernels::queries>);
    using of_any_length = tcgen05_fused_backward_for<target, half, 128, 128,
                                                     attention_variant<attention_mask::band, attention_bias::alibi>,
                                                     half, unchanged_score, attention_sequences::of_any_length>;
    *kept++ = reinterpret_cast<const void*>(lengths_kernel<of_any_length::keys>);
    *kept++ = reinterpret_cast<const void*>(sums_of_lengths<of_any_length::queries>);
}

} // namespace tegula
