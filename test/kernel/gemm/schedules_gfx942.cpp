#include <tegula/arch/amd/targets.hpp>

#include "test/kernel/gemm/schedules.hpp"

namespace tegula::test {

using target = arch::gfx942;
using enum operand_order;
template <class T>
using tiles = gemm_tiles<target, T>;

TEST_CASE("ping_pong on gfx942: f16, f32, fp8", "[gemm][gfx942]")
{
    check_schedule<tiles<half>::t256x256, float, k_contiguous, row_contiguous>();
    check_schedule<tiles<float>::t256x256, float, k_contiguous, k_contiguous>();
    check_schedule<tiles<float8_e4m3_fnuz>::t256x256, float, k_contiguous, k_contiguous>();
}

} // namespace tegula::test
