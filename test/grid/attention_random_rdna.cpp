// Random attentions, forward and backward, on RDNA: see random_problems.hpp.

#include "test/kernel/attention/random_problems.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("gfx1100: random attentions", "[attention]")
{
    check_random_attentions_of<arch::gfx1100, bfloat16>(1300, 25);
}

TEST_CASE("gfx1201: random attentions", "[attention]") { check_random_attentions_of<arch::gfx1201, half>(1400, 25); }

TEST_CASE("gfx1250: random attentions", "[attention]")
{
    check_random_attentions_of<arch::gfx1250, bfloat16>(1500, 25);
}
