// Attention forward by tcgen05: tensor copies in, scores, weights and output in tensor memory, a row of queries in each
// thread of the softmax. 384 threads start with 168 registers each.
//
// targets: sm_100a
// full targets: sm_103a
// expect sm_100a sm_103a: registers <= 168, sass/^USETMAXREG\.DEALLOC/ >= 1, sass/^USETMAXREG\.TRY_ALLOC/ >= 1
// expect sm_100a: /tcgen05\.alloc/ == 1, /tcgen05\.dealloc/ == 1, /tcgen05\.ld\.sync\.aligned\.32x32b\.x128/ == 1
// expect sm_100a: /tcgen05\.st\.sync\.aligned\.32x32b\.x16/ == 4, sass/^UTCHMMA tmem/ == 16
// Slices of a product are 16 deep: scores of two consumers along the columns, and their output along 128 keys.
// expect sm_100a [ELi128ELi128ELi128E]: sass/^UTCHMMA gdesc/ == 16
// expect sm_100a [ELi64ELi64E]: sass/^UTCHMMA gdesc/ == 8
// expect sm_100a: sass/^UTMALDG\.4D/ >= 4, sass/^STG\.E\.128/ >= 4
// A quarter of the 128 exponentials of a row by polynomials, the others and three beside them by the instruction.
// expect sm_100a [hardware_exponentials]: /ex2\.approx/ >= 128, sass/^MUFU\.EX2/ >= 128
// expect sm_100a [tcgen05_exponentials]: /ex2\.approx/ <= 99, sass/^MUFU\.EX2/ <= 99
// Exponents, sums of weights and polynomials take two floats at a time.
// expect sm_100a [hardware_exponentials]: sass/^FFMA2/ == 64, sass/^FADD2/ == 62
// expect sm_100a [tcgen05_exponentials]: sass/^FFMA2/ == 144, sass/^FADD2/ == 94, sass/^FMUL2/ == 16
// Softmax takes more issue slots than the lane that multiplies. Q and K are read from shared memory, and V.
// expect sm_100a: sass_shared_percent <= 100
// expect sm_100a [hardware_exponentials]: sass_issue_percent <= 57
// expect sm_100a [banded_by_tcgen05]: sass_issue_percent <= 74
// expect sm_100a [ELi64ELi64E]: sass_issue_percent <= 141

#include "test/device/attention_words.hpp"
#include "test/device/keep.hpp"

#include <tegula/kernel/attention/tcgen05/kernel.hpp>

namespace tegula {

TEGULA_KEEP(plain_by_tcgen05)
TEGULA_KEEP(banded_by_tcgen05)

template <class T, index_t D, index_t ValueDim, attention_mask Mask, class Exponentials = tcgen05_exponentials>
using by_tcgen05 =
    tcgen05_attention<tcgen05_attention_tile_for<target, T, D, ValueDim, Exponentials>, T, attention_variant<Mask>>;

void keep_all(const void** kept)
{
    *kept++ = reinterpret_cast<const void*>(banded_by_tcgen05<by_tcgen05<bfloat16, 128, 128, attention_mask::band>>);
    *kept++ = reinterpret_cast<const void*>(plain_by_tcgen05<by_tcgen05<half, 64, 64, attention_mask::none>>);
    *kept++ = reinterpret_cast<const void*>(
        plain_by_tcgen05<by_tcgen05<bfloat16, 128, 128, attention_mask::none, hardware_exponentials>>);
}

} // namespace tegula
