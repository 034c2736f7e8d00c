#include <tegula/arch/amd/targets.hpp>

#include "test/kernel/gemm_schedules.hpp"

namespace tegula::test {

using target = arch::gfx942;
using enum operand_order;
template <class T>
using tiles = gemm_tiles<target, T>;

TEST_CASE("ping_pong on gfx942, every type", "[gemm][gfx942]")
{
    check_schedule<tiles<bfloat16>::huge, bfloat16, row_contiguous, row_contiguous>();
    check_schedule<tiles<half>::huge, float, k_contiguous, row_contiguous>();
    check_schedule<tiles<float>::huge, float, k_contiguous, k_contiguous>();
    check_schedule<tiles<tfloat32>::huge, float, row_contiguous, k_contiguous>();
    check_schedule<tiles<std::int8_t>::huge, std::int32_t, row_contiguous, row_contiguous>();
    check_schedule<tiles<float8_e4m3_fnuz>::huge, float, k_contiguous, k_contiguous>();
}

TEST_CASE("interleaved on gfx942, every type", "[gemm][gfx942]")
{
    check_schedule<tiles<bfloat16>::wide, bfloat16, k_contiguous, k_contiguous>();
    check_schedule<tiles<half>::wide, float, row_contiguous, row_contiguous>();
    check_schedule<tiles<float>::wide, float, row_contiguous, k_contiguous>();
    check_schedule<tiles<tfloat32>::wide, float, k_contiguous, row_contiguous>();
    check_schedule<tiles<std::int8_t>::wide, std::int32_t, k_contiguous, k_contiguous>();
    check_schedule<tiles<float8_e4m3_fnuz>::wide, float, row_contiguous, row_contiguous>();
}

} // namespace tegula::test
