#include <tegula/arch/amd/targets.hpp>

#include "test/kernel/gemm/schedules.hpp"

namespace tegula::test {

using enum operand_order;

TEST_CASE("ping_pong and interleaved on gfx90a", "[gemm][gfx90a]")
{
    using target = arch::gfx90a;
    check_schedule<gemm_tiles<target, bfloat16>::t256x256, float, k_contiguous, k_contiguous>();
    check_schedule<gemm_tiles<target, std::int8_t>::t256x256, std::int32_t, k_contiguous, row_contiguous>();
    check_schedule<gemm_tiles<target, std::int8_t>::t256x128, std::int32_t, row_contiguous, k_contiguous>();
    check_schedule<gemm_tiles<target, float>::t256x128, float, k_contiguous, k_contiguous>();
    check_schedule<gemm_tiles<target, float>::t256x128, float, row_contiguous, row_contiguous>();
}

} // namespace tegula::test
