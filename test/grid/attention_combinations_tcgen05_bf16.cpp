#include "test/grid/attention_tcgen05.hpp"

using namespace tegula;
using namespace tegula::test;
using namespace attention_forms;
using forms = tensor_copy_combinations<by_tcgen05>;

TEST_CASE("sm_100a: attention by tcgen05 of bf16 in every two forms", "[attention][tcgen05]")
{
    forms::check<bfloat16, 64, 64, boolean, alibi, all, false>(64, 40);
    forms::check<bfloat16, 128, 128, band, no_bias, all, false>();
    forms::check<bfloat16, 192, 128, every_key, alibi, dropped, true>(192, 120);
    forms::check<bfloat16, 256, 256, boolean, tensor, all, true>();
}
