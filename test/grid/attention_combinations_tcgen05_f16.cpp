#include "test/grid/attention_tcgen05.hpp"

using namespace tegula;
using namespace tegula::test;
using namespace attention_forms;
using forms = tensor_copy_combinations<by_tcgen05>;

TEST_CASE("sm_100a: attention by tcgen05 of f16 in every two forms", "[attention][tcgen05]")
{
    forms::check<half, 64, 64, band, alibi, dropped, true>(56, 64);
    forms::check<half, 128, 128, every_key, tensor, all, true>();
    forms::check<half, 192, 128, boolean, no_bias, dropped, false>();
    forms::check<half, 256, 256, band, tensor, dropped, false>(256, 200);
}
