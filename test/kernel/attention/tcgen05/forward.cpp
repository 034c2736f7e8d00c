#include "test/kernel/attention/tcgen05/family.hpp"
#include "test/kernel/attention/tensor_copies.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("sm_100a: attention by tcgen05, every length and band", "[attention]")
{
    check_every_length_and_band<by_tcgen05>();
}

TEST_CASE("sm_100a: attention by tcgen05 with changed scores", "[attention]") { check_changed_scores<by_tcgen05>(); }

TEST_CASE("sm_100a: attention by tcgen05 of unequal lengths, O and lse", "[attention]")
{
    check_unequal_lengths<by_tcgen05, attention_mask::band>();
}
