// Random attentions of 8 bits and of split keys, forward alone: see random_problems.hpp.

#include <tegula/core/float8.hpp>

#include "test/kernel/attention/random_problems.hpp"
#include "test/kernel/attention/split/split.hpp"
#include "test/kernel/attention/warp_specialized/family.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

template <class Target, class T>
using of_8_bits = attention_kernel<attention_tile_for<Target, T, 64, 64, random_variant>, float, random_variant>;

} // namespace

TEST_CASE("gfx942: random attentions of 8 bits", "[attention]")
{
    check_random_attentions<of_8_bits<arch::gfx942, float8_e4m3_fnuz>, void>(2100, 25);
}

TEST_CASE("sm_89: random attentions of 8 bits", "[attention]")
{
    check_random_attentions<of_8_bits<arch::sm_89, float8_e5m2>, void>(2200, 25);
}

TEST_CASE("sm_90a: random attentions of 8 bits by warps of several tasks", "[attention]")
{
    using kernel = warp_specialized::kernel<float8_e4m3, 64, 64, random_variant, float>;
    check_random_attentions<kernel, void>(2500, 25);
}

TEST_CASE("gfx942: random attentions of split keys", "[attention]")
{
    check_random_attentions<split_attention<arch::gfx942, half, 64, random_variant>, void>(2300, 25);
}

TEST_CASE("sm_80: random attentions of split keys", "[attention]")
{
    check_random_attentions<split_attention<arch::sm_80, bfloat16, 64, random_variant>, void>(2400, 25);
}
