#include "test/grid/attention_tcgen05.hpp"

using namespace tegula;
using namespace tegula::test;
using namespace attention_forms;

TEST_CASE("sm_100a: gradients by tcgen05 of f16 in many forms", "[attention][tcgen05]")
{
    check_tcgen05_gradients<half, 64, 64, band, tensor, all, true>();
    check_tcgen05_gradients<half, 128, 64, boolean, alibi, dropped, false>(104, 64);
    check_tcgen05_gradients<half, 128, 128, every_key, no_bias, dropped, true>();
}
