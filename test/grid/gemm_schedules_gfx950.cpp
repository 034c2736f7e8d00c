#include <tegula/arch/amd/targets.hpp>

#include "test/kernel/gemm/schedules.hpp"

namespace tegula::test {

using target = arch::gfx950;
using enum operand_order;
template <class T>
using tiles = gemm_tiles<target, T>;

TEST_CASE("ping_pong with direct loads on gfx950: bf16, f16, int8", "[gemm][gfx950]")
{
    check_schedule<tiles<bfloat16>::t256x256, bfloat16, row_contiguous, row_contiguous>();
    check_schedule<tiles<half>::t256x256, float, k_contiguous, row_contiguous>();
    check_schedule<tiles<std::int8_t>::t256x256, std::int32_t, row_contiguous, k_contiguous>();
}

TEST_CASE("interleaved on gfx950: f16, f32, fp8", "[gemm][gfx950]")
{
    check_schedule<tiles<half>::t256x128, half, row_contiguous, row_contiguous>();
    check_schedule<tiles<float>::t256x128, float, row_contiguous, k_contiguous>();
    check_schedule<tiles<float8_e5m2>::t256x128, bfloat16, row_contiguous, row_contiguous>();
    check_schedule<tiles<float8_e4m3>::t256x128, float, k_contiguous, row_contiguous>();
}

TEST_CASE("interleaved in two stages on gfx950: fp8", "[gemm][gfx950]")
{
    check_schedule<tiles<float8_e4m3>::t256x256, float, k_contiguous, k_contiguous>();
    check_schedule<tiles<float8_e5m2>::t256x256, float, row_contiguous, k_contiguous>();
    check_schedule<tiles<float8_e4m3>::t256x256, bfloat16, row_contiguous, row_contiguous>();
}

} // namespace tegula::test
