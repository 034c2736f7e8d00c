#include <tegula/arch/amd/targets.hpp>

#include "test/kernel/gemm/schedules.hpp"

namespace tegula::test {

using target = arch::gfx942;
using enum operand_order;
template <class T>
using tiles = gemm_tiles<target, T>;

TEST_CASE("interleaved on gfx942: bf16, tf32, int8", "[gemm][gfx942]")
{
    check_schedule<tiles<bfloat16>::t256x128, bfloat16, k_contiguous, k_contiguous>();
    check_schedule<tiles<tfloat32>::t256x128, float, k_contiguous, row_contiguous>();
    check_schedule<tiles<std::int8_t>::t256x128, std::int32_t, k_contiguous, k_contiguous>();
}

} // namespace tegula::test
