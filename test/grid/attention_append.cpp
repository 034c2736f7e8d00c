/// Keys and values appended to a cache, on the targets that the tests of every run leave out.

#include "test/kernel/attention/append/append.hpp"

using namespace tegula;
using namespace tegula::test;

TEMPLATE_TEST_CASE("keys and values appended to a cache", "[attention]", arch::gfx90a, arch::gfx950, arch::gfx1100,
                   arch::gfx1250, arch::sm_89, arch::sm_90a, arch::sm_100a, arch::sm_120a)
{
    check_appending<TestType>();
}
