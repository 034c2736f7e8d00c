// Every shipped order of every shipped tile, fp8: nothing spills, with the second set of accumulators that sums are
// promoted to either.
//
// full targets: sm_89

#include "test/device/gemm_orders.hpp"

namespace tegula {

void keep_all(const void** kept) { keep_all_tiles<target, float8_e4m3>(kept); }

} // namespace tegula
