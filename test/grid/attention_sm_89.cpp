#include "test/kernel/attention/harness.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::sm_89;

TEST_CASE("sm_89: attention, every length and band", "[attention]")
{
    check_attention_lengths<test_attention<target, bfloat16, 64, 64, attention_variant<attention_mask::band>>>();
}

TEST_CASE("sm_89: attention of more than 2^31 elements", "[attention]")
{
    check_attention_of_far_rows<test_attention<target, bfloat16, 64, 64, attention_variant<attention_mask::band>>>();
}

TEST_CASE("sm_89: f16 attention of wide heads", "[attention]")
{
    using kernel = test_attention<target, half, 96, 256>;
    check_attention(attention_data<kernel>(129, 100, 1, 1, 1, 96, 200));
}

TEST_CASE("sm_89: attention with half of its exponentials by polynomials", "[attention]")
{
    using shipped = attention_tile_for<target, half, 32>;
    using tile = attention_tile<target, shipped::atom, shipped::queries, shipped::keys, 32, 32, shipped::waves,
                                shipped::place, shipped::key_values, 1, mixed_exponentials<1, 2>>;
    check_attention(
        attention_data<attention_kernel<tile, half, attention_variant<attention_mask::band>>>(70, 200, 2, 1, 1));
}
