/// A mixture of experts on CPUs, as the machine's own code and on the strict emulator: what is checked of GPUs.

#include "test/kernel/moe/cpu.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("CPU: mixture of experts, f32", "[moe][cpu]")
{
    if (has_target<arch::x86_avx2>())
        check_layers<native_cpu_tile>();
}
