/// A mixture of experts on CPUs, as the machine's own code and on the strict emulator: what is checked of GPUs.

#include "test/kernel/moe/cpu.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("CPU: mixture of experts on the strict emulator, f32", "[moe][cpu]") { check_layers<strict_cpu_tile>(); }
