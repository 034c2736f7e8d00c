// Every shipped order of every shipped tile, operands of 32 bits: nothing spills.
//
// full targets: gfx942 gfx950 gfx1100 gfx1201 gfx1250

#include "test/device/gemm_orders.hpp"

namespace tegula {

template <class Target>
using type_of_32_bits = std::conditional_t<has_matrix_instruction<Target, tfloat32>, tfloat32, float>;

void keep_all(const void** kept) { keep_all_tiles<target, type_of_32_bits<target>>(kept); }

} // namespace tegula
