// Every shipped order of every shipped tile, operands of 8 bits: nothing spills, on sm_89 with the second set of
// accumulators that sums of fp8 are promoted to either.
//
// full targets: gfx90a gfx942 gfx950 gfx1100 gfx1201 gfx1250 sm_80 sm_89 sm_90a sm_120a
// expect gfx950 [direct_ping_pong]: loop_load_drains == 2
// expect gfx950 [direct_interleaved]: loop_load_drains == 0

#include "test/device/gemm_orders.hpp"

namespace tegula {

// Templates, so that a target without this fp8 names no tile of it.
template <class Target, class T>
void keep_if_multiplied(const void**& kept)
{
    if constexpr (has_matrix_instruction<Target, T>)
        keep_all_tiles<Target, T>(kept);
}

void keep_all(const void** kept)
{
    keep_if_multiplied<target, std::int8_t>(kept);
    keep_if_multiplied<target, float8_e4m3>(kept);
    keep_if_multiplied<target, float8_e4m3_fnuz>(kept);
}

} // namespace tegula
