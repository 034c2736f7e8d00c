#include "test/kernel/attention_forms.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::gfx942;

TEST_CASE("gfx942: f16 attention, every length and band", "[attention]")
{
    using kernel = test_attention<target, half, 64, 64, attention_variant<attention_mask::band>>;
    check_attention_lengths<kernel>();
    check_special_values<kernel>();
    check_attention_of_far_rows<kernel>();
}

TEST_CASE("gfx942: attention in two stages of keys and values", "[attention]")
{
    check_attention_lengths<attention_kernel<two_stage_attention_tile_for<target, bfloat16, 64>, bfloat16,
                                             attention_variant<attention_mask::band>>>();
}

TEST_CASE("gfx942: attention with changed scores", "[attention]") { check_changed_scores<target>(); }

TEST_CASE("gfx942: attention with gathered keys", "[attention]") { check_gathered_keys<target>(); }

TEST_CASE("gfx942: bf16 attention of wide heads", "[attention]")
{
    using kernel = test_attention<target, bfloat16, 192, 128>;
    check_attention(attention_data<kernel>(129, 100, 1, 1, 1, 192, 128));
}
