#include "test/grid/attention_tensor_copies.hpp"
#include "test/kernel/attention/warp_specialized/family.hpp"

using namespace tegula;
using namespace tegula::test;
using namespace attention_forms;
using forms = tensor_copy_combinations<warp_specialized>;

TEST_CASE("sm_90a: warp-specialised attention of f16, each change alone", "[attention]")
{
    forms::check<half, 64, 64, every_key, alibi, all, false>(56, 64);
    forms::check<half, 128, 128, every_key, tensor, all, false>();
    forms::check<half, 64, 128, every_key, no_bias, dropped, false>();
    forms::check<half, 128, 64, every_key, no_bias, all, true>(96, 64);
    forms::check<half, 192, 128, boolean, no_bias, all, false>();
    forms::check<half, 256, 256, band, no_bias, all, false>(256, 200);
}

TEST_CASE("sm_90a: warp-specialised attention of f16, changes together", "[attention]")
{
    forms::check<half, 64, 128, band, tensor, all, true>();
    forms::check<half, 128, 64, boolean, alibi, dropped, false>();
    forms::check<half, 192, 128, band, alibi, all, true>(184, 128);
    forms::check<half, 128, 128, boolean, tensor, dropped, true>(128, 104);
}
