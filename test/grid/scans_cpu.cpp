/// Scans on CPUs, as the machine's own code and on the strict emulator: what is checked of GPUs.

#include "test/kernel/device_of_cpu.hpp"
#include "test/kernel/reduction/shape_reductions.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("scans of any shape on CPUs", "[cpu]")
{
    if (has_target<arch::x86_avx2>())
        check_scans<arch::x86_avx2, float>();
}
TEST_CASE("scans of any shape of CPUs on the strict emulator", "[cpu]")
{
    check_scans<arch::strict<arch::x86_avx2>, float>();
}
