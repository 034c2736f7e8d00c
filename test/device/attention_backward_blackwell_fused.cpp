// Attention backward by tcgen05 in five products: blocks that keep keys add to dQ, too. dS goes to the tensor core by
// tensor memory and by shared memory, and dQ from tensor memory to sums in memory by bulk copies.
//
// full targets: sm_100a sm_103a
// expect sm_100a sm_103a [keys_kernel]: registers <= 168, sass/^USETMAXREG\.DEALLOC/ >= 1, sass/^USETMAXREG\.TRY_ALLOC/ >= 1
// expect sm_100a sm_103a [keys_kernel]: sass/^UTMALDG\.4D/ >= 4, sass/^STG\.E\.128/ >= 4, sass/^UBLKCP/ == 2, sass/^UBLKRED/ == 2
// expect sm_100a sm_103a [queries_kernel]: sass/^STG\.E\.128/ >= 1, sass/^LDG\.E\.128/ >= 8
// Slices of a product are 16 deep: scores and dO V^T along the columns, dQ along 128 keys; dV and dK along 64 queries. Of
// kept rows those of V are in tensor memory, too, and stored by 16 words.
// expect sm_100a sm_103a [keys_kernel]: sass/^UTCHMMA tmem/ == 16, sass/^UTCHMMA gdesc/ == 16
// A chunk of 32 columns stores P and dS to tensor memory, and dS to shared memory by vectors of 16 bytes. Loads of 64 columns
// are of dQ, and of dK and dV at the end.
// expect sm_100a sm_103a [keys_kernel]: /tcgen05\.st\.sync\.aligned\.32x32b\.x16/ == 3, /tcgen05\.ld\.sync\.aligned\.32x32b\.x64/ == 3

#include "test/device/attention_words.hpp"
#include "test/device/keep.hpp"

#include <tegula/kernel/attention/tcgen05/backward_kernels.hpp>

namespace tegula {

TEGULA_KEEP(keys_kernel)
TEGULA_KEEP(queries_kernel)

void keep_all(const void** kept)
{
    using kernels = tcgen05_fused_backward_for<target, bfloat16, 128, 128, attention_variant<attention_mask::band>>;
    *kept++ = reinterpret_cast<const void*>(keys_kernel<kernels::keys>);
    *kept++ = reinterpret_cast<const void*>(queries_kernel<kernels::queries>);
}

} // namespace tegula
