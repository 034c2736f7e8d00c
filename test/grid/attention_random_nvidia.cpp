// Random attentions, forward and backward, on NVIDIA by mma.sync: see random_problems.hpp.

#include "test/kernel/attention/random_problems.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("sm_80: random attentions", "[attention]") { check_random_attentions_of<arch::sm_80, bfloat16>(1600, 25); }

TEST_CASE("sm_89: random attentions", "[attention]") { check_random_attentions_of<arch::sm_89, half>(1700, 25); }

TEST_CASE("sm_120a: random attentions", "[attention]")
{
    check_random_attentions_of<arch::sm_120a, bfloat16>(1800, 25);
}
