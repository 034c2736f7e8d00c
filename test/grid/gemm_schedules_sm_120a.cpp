// The largest tile of sm_120a, a warp of which has 64 x 64 of C.

#include <tegula/arch/nvidia/targets.hpp>

#include "test/kernel/gemm/schedules.hpp"

namespace tegula::test {

using target = arch::sm_120a;
using enum operand_order;
template <class T>
using tiles = gemm_tiles<target, T>;

TEST_CASE("t128x256 on sm_120a: bf16, f16, tf32, fp8, int8", "[gemm][sm_120a]")
{
    check_schedule<tiles<bfloat16>::t128x256, bfloat16, row_contiguous, k_contiguous>();
    check_schedule<tiles<half>::t128x256, float, k_contiguous, row_contiguous>();
    check_schedule<tiles<tfloat32>::t128x256, float, k_contiguous, k_contiguous>();
    check_schedule<tiles<float8_e4m3>::t128x256, float, k_contiguous, k_contiguous>();
    check_schedule<tiles<std::int8_t>::t128x256, std::int32_t, k_contiguous, k_contiguous>();
}

} // namespace tegula::test
