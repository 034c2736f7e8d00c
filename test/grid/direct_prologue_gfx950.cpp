// Convolutions and mixtures of experts by direct loads.

#include "test/kernel/convolution/convolution.hpp"
#include "test/kernel/moe/moe.hpp"

using namespace tegula;
using namespace tegula::test;
using enum convolution_direction;

namespace {

using t256x256 = gemm_tiles<arch::gfx950, half>::t256x256;
using t256x128 = gemm_tiles<arch::gfx950, half>::t256x128;

/// k in whole steps of the loop and a rest, less than a step, rows for which there is no vector; no tokens.
template <class Tile, bool Gated = false>
void check_experts(const moe_case& long_k)
{
    for (const moe_case& f : {long_k, moe_case{37, 24, 40, 5, 2, 0}, {5, 5, 7, 2, 1, 2}, {0, 8, 8, 4, 2, 0}})
        check_moe<Tile, Gated>(f);
}

} // namespace

TEST_CASE("gfx950: mixture of experts by direct loads, bf16", "[moe]")
{
    check_experts<gemm_tiles<arch::gfx950, bfloat16>::t256x128>({70, 456, 392, 3, 2, 0});
    check_experts<gemm_tiles<arch::gfx950, bfloat16>::t256x256>({70, 264, 200, 3, 2, 0});
}

TEST_CASE("gfx950: gated experts by direct loads, f16", "[moe]")
{
    check_experts<t256x128, true>({70, 456, 136, 2, 1, 0});
}

TEST_CASE("gfx950: convolution forward by direct loads in three dimensions, and by eight waves, f16", "[convolution]")
{
    CHECK(count_kernels<forward, 3, t256x128>({{1, 24, 8, 1, 5, 3, 1, 1, 1, false, 1}}) == std::pair(1, 0));
    CHECK(count_kernels<forward, 2, t256x256>({{1, 72, 264, 1, 16, 3, 1, 1, 1, true}}) == std::pair(1, 0));
}

TEST_CASE("gfx950: convolution backward weight by direct loads, f16", "[convolution]")
{
    CHECK(count_kernels<backward_weight, 2, t256x128>({{2, 72, 40, 1, 21, 3, 1, 1, 1, false},
                                                       {1, 16, 24, 2, 9, 2, 2, 0, 1, true},
                                                       {1, 8, 8, 1, 5, 3, 1, 3, 2, false}}) == std::pair(3, 0));
    CHECK(count_kernels<backward_weight, 3, t256x128>({{1, 16, 24, 1, 8, 3, 1, 1, 1, false}}) == std::pair(1, 0));
    // With whole steps of k sectors are read once for each tile.
    int uses[2] = {};
    check_convolution<backward_weight, 2, t256x128>({8, 64, 256, 1, 8, 1, 1, 0, 1, false}, uses, true);
}
