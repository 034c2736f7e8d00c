/// Tensors of more than 2^31 elements, and gradients of every length, on the targets that the tests of every run leave out.

#include <tegula/kernel/attention/backward/tiles.hpp>

#include "test/kernel/attention/backward/backward.hpp"
#include "test/kernel/attention/harness.hpp"

using namespace tegula;
using namespace tegula::test;

TEMPLATE_TEST_CASE("attention of rows far apart", "[attention]", arch::gfx90a, arch::gfx950, arch::gfx1100,
                   arch::gfx1201, arch::sm_80, arch::sm_90a, arch::sm_100a)
{
    check_attention_of_far_rows<test_attention<TestType, bfloat16, 64, 64, attention_variant<attention_mask::band>>>();
}

TEMPLATE_TEST_CASE("gradients of lengths, and of rows far apart", "[attention]", arch::gfx90a, arch::gfx950,
                   arch::gfx1100, arch::gfx1201, arch::sm_89, arch::sm_90a, arch::sm_100a)
{
    check_gradients_of_lengths<TestType>();
}
