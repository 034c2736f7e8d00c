#include "test/kernel/attention/forms.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::gfx942;

TEST_CASE("gfx942: attention in two stages of keys and values", "[attention]")
{
    check_attention_lengths<attention_kernel<two_stage_attention_tile_for<target, bfloat16, 64>, bfloat16,
                                             attention_variant<attention_mask::band>>>();
}

TEST_CASE("gfx942: attention with gathered keys", "[attention]") { check_gathered_keys<target>(); }

TEST_CASE("gfx942: bf16 attention of wide heads", "[attention]")
{
    using kernel = test_attention<target, bfloat16, 192, 128>;
    check_attention(attention_data<kernel>(129, 100, 1, 1, 1, 192, 128));
}
