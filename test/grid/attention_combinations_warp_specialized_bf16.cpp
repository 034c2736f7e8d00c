#include "test/grid/attention_tensor_copies.hpp"
#include "test/kernel/attention/warp_specialized/family.hpp"

using namespace tegula;
using namespace tegula::test;
using namespace attention_forms;
using forms = tensor_copy_combinations<warp_specialized>;

TEST_CASE("sm_90a: warp-specialised attention of bf16, each change alone", "[attention]")
{
    forms::check<bfloat16, 128, 128, every_key, alibi, all, false>(128, 96);
    forms::check<bfloat16, 64, 64, every_key, tensor, all, false>(64, 40);
    forms::check<bfloat16, 192, 128, every_key, no_bias, dropped, false>(192, 120);
    forms::check<bfloat16, 64, 64, boolean, no_bias, all, false>();
    forms::check<bfloat16, 192, 128, band, no_bias, all, false>();
    forms::check<bfloat16, 256, 256, every_key, no_bias, all, false>(232, 256);
}

TEST_CASE("sm_90a: warp-specialised attention of bf16, changes together", "[attention]")
{
    forms::check<bfloat16, 64, 64, band, alibi, dropped, false>();
    forms::check<bfloat16, 128, 128, boolean, no_bias, all, true>(112, 128);
    forms::check<bfloat16, 128, 128, band, no_bias, dropped, true>();
    forms::check<bfloat16, 192, 128, every_key, tensor, dropped, true>();
    forms::check<bfloat16, 64, 64, boolean, tensor, all, true>(64, 56);
}
