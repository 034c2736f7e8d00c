#include "test/kernel/attention/forms.hpp"

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

TEST_CASE("gfx942: attention with changed scores", "[attention]") { check_changed_scores<target>(); }
