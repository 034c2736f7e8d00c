// Every shipped order of every shipped tile, operands of 16 bits: nothing spills.
//
// full targets: gfx90a gfx942 gfx950 gfx1100 gfx1201 gfx1250 sm_80 sm_89 sm_90a sm_120a
// expect gfx950 [direct_ping_pong]: loop_load_drains == 2
// expect gfx950 [direct_interleaved]: loop_load_drains == 0

#include "test/device/gemm_orders.hpp"

namespace tegula {

void keep_all(const void** kept) { keep_all_tiles<target, bfloat16>(kept); }

} // namespace tegula
