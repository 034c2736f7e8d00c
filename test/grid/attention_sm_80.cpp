#include "test/kernel/attention/forms.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::sm_80;

TEST_CASE("sm_80: f16 attention, every length and band", "[attention]")
{
    using kernel = test_attention<target, half, 64, 64, attention_variant<attention_mask::band>>;
    check_attention_lengths<kernel>();
    check_special_values<kernel>();
}

TEST_CASE("sm_80: attention with changed scores", "[attention]") { check_changed_scores<target>(); }

TEST_CASE("sm_80: attention with gathered keys", "[attention]") { check_gathered_keys<target>(); }

TEST_CASE("sm_80: bf16 attention of wide heads", "[attention]")
{
    using kernel = test_attention<target, bfloat16, 192, 128>;
    check_attention(attention_data<kernel>(129, 100, 1, 1, 1, 192, 128));
}
