// Random attentions, forward and backward, on CPUs: see random_problems.hpp.

#include <tegula/host/cpu_attention_backward.hpp>

#include "test/kernel/attention/random_problems.hpp"
#include "test/kernel/device_of_cpu.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("CPU: random attentions", "[attention][cpu]")
{
    check_random_attentions_of<arch::x86_avx2, bfloat16, cpu_device>(1, 20);
    check_random_attentions_of<arch::x86_avx2, bfloat16, cpu_device>(3000, 100);
    check_random_attentions_of<arch::x86_avx2, half, cpu_device>(4000, 60);
    check_random_attentions_of<arch::x86_avx2, float, cpu_device>(5000, 60);
    if (has_target<arch::x86_avx512>())
        check_random_attentions_of<arch::x86_avx512, bfloat16, cpu_device>(6000, 60);
}
