/// Attention of few queries on the targets whose kernels differ from those of test/kernel in the instruction alone.

#include "test/kernel/attention/split/split.hpp"

using namespace tegula;
using namespace tegula::test;

TEMPLATE_TEST_CASE("attention of few queries, keys split", "[attention]", arch::gfx90a, arch::sm_89, arch::sm_90a)
{
    check_decoding<TestType>();
    check_packed_changes<TestType>();
}

TEMPLATE_TEST_CASE("changed scores of packed heads", "[attention]", arch::gfx1100, arch::gfx1201)
{
    check_packed_changes<TestType>();
}
