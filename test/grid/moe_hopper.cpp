/// Mixtures of experts by wgmma: clusters go from expert to expert, whose rows only the device counts.

#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

#include "test/kernel/moe/moe.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("sm_90a: mixture of experts by wgmma", "[moe]")
{
    using bf16 = warp_specialized_tiles<arch::sm_90a, bfloat16>;
    using f16 = warp_specialized_tiles<arch::sm_90a, half>;
    for (const moe_case& f : {moe_case{64, 32, 64, 4, 2, 0}, {33, 16, 24, 300, 8, 0}, {300, 72, 264, 3, 2, 1}}) {
        check_moe<bf16::ws128x256>(f);
        check_moe<f16::ws128x128>(f);
    }
    check_moe<bf16::ws128x256>({20, 8, 16, 8, 8, 2});
}

TEST_CASE("sm_90a: gated experts by wgmma", "[moe]")
{
    using bf16 = warp_specialized_tiles<arch::sm_90a, bfloat16>;
    for (const moe_case& f : {moe_case{37, 24, 40, 5, 2, 0}, {65, 8, 16, 70, 4, 2}, {150, 72, 136, 2, 1, 1}}) {
        check_moe<bf16::ws128x256, true>(f);
        check_moe<bf16::ws128x128, true>(f);
    }
}
