// The largest tile of gfx1250, which its tensor data mover brings, and few rows.

#include <tegula/arch/amd/targets.hpp>

#include "test/kernel/gemm/schedules.hpp"

namespace tegula::test {

using target = arch::gfx1250;
using enum operand_order;
template <class T>
using tiles = gemm_tiles<target, T>;

TEST_CASE("tensor_multistage on gfx1250: every type", "[gemm][gfx1250]")
{
    check_schedule<tiles<bfloat16>::t256x256, bfloat16, row_contiguous, k_contiguous>();
    check_schedule<tiles<half>::t256x256, float, k_contiguous, row_contiguous>();
    check_schedule<tiles<float8_e4m3>::t256x256, float, k_contiguous, k_contiguous>();
    check_schedule<tiles<std::int8_t>::t256x256, std::int32_t, k_contiguous, k_contiguous>();
    // Its instruction is as deep as the tile: a slice is multiplied in parts.
    check_schedule<tiles<float8_e4m3>::t256x256, float, row_contiguous, row_contiguous>();
}

} // namespace tegula::test
