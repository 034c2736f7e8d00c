#include "test/kernel/attention/harness.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::gfx1201;

TEST_CASE("gfx1201: attention, every length and band", "[attention]")
{
    check_attention_lengths<test_attention<target, bfloat16, 64, 64, attention_variant<attention_mask::band>>>();
}

TEST_CASE("gfx1201: f16 attention of wide heads", "[attention]")
{
    using kernel = test_attention<target, half, 96, 256>;
    check_attention(attention_data<kernel>(129, 100, 1, 1, 1, 96, 200));
}
