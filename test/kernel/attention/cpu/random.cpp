// Random attentions on CPUs; test/grid/attention_random_*.cpp has those on GPUs.

#include <tegula/host/cpu_attention_backward.hpp>

#include "test/kernel/attention/random_problems.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("CPU attention: random problems", "[attention][cpu]")
{
    check_random_attentions_of<arch::x86_avx2, bfloat16, cpu_device>(1, 20);
}
