/// A mixture of experts on CPUs, on the strict emulator.

#include "test/kernel/moe/cpu.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("CPU: mixture of experts on the strict emulator, f32", "[moe][cpu]") { check_layers<strict_cpu_tile>(); }
