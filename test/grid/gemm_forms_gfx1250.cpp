// GEMM on gfx1250, whose operands along k come by asynchronous copies that are waited for by their number, or by the tensor
// data mover.

#include "test/kernel/gemm/harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx1250;

TEST_CASE("gfx1250: fp8 with 128 of k an instruction, both operands copied", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, float8_e4m3>::t64x64, float, k_contiguous, k_contiguous>(quarter::second);
}

TEST_CASE("gfx1250: 8-bit integers are exact", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, std::int8_t>::t32x128, std::int32_t, k_contiguous, k_contiguous>(
        quarter::third);
}

// In steps of half the tile's k.
TEST_CASE("gfx1250: bf16 GEMM, A along the rows, B by the tensor data mover", "[gemm]")
{
    using tile = gemm_tile<target, default_atom<target, bfloat16>, 128, 64, 64, 4, 2, 3, 8, tensor_multistage>;
    static_assert(std::is_same_v<tile::loop<row_contiguous, k_contiguous>,
                                 multistage_loop<half_k<tile>, row_contiguous, k_contiguous>>);
    check_two_kernels<tile, float, row_contiguous, k_contiguous>(quarter::first);
}
