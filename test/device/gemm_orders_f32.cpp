// Every shipped order of every shipped tile, operands of 32 bits: nothing spills.
//
// full targets: gfx90a gfx942 gfx950 gfx1100 gfx1201 gfx1250 sm_80 sm_89 sm_90a sm_120a

#include "test/device/gemm_orders.hpp"

namespace tegula {

// A template, so that a target without tf32 names no tile of it.
template <class Target>
void keep_types(const void**& kept)
{
    if constexpr (has_matrix_instruction<Target, tfloat32>)
        keep_all_tiles<Target, tfloat32>(kept);
    if constexpr (has_matrix_instruction<Target, float> || !has_matrix_instruction<Target, tfloat32>)
        keep_all_tiles<Target, float>(kept);
}

void keep_all(const void** kept) { keep_types<target>(kept); }

} // namespace tegula
