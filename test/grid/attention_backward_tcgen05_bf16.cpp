#include "test/grid/attention_tcgen05.hpp"

using namespace tegula;
using namespace tegula::test;
using namespace attention_forms;

TEST_CASE("sm_100a: gradients by tcgen05 of bf16 in many forms", "[attention][tcgen05]")
{
    check_tcgen05_gradients<bfloat16, 64, 128, every_key, tensor, dropped, false>(64, 120);
    check_tcgen05_gradients<bfloat16, 128, 128, boolean, no_bias, all, true>();
    check_tcgen05_gradients<bfloat16, 64, 64, band, alibi, dropped, false>(40, 64);
}
