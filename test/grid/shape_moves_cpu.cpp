/// Movement of tensors on CPUs, as the machine's own code and on the strict emulator: what is checked of GPUs.

#include "test/kernel/device_of_cpu.hpp"
#include "test/kernel/movement/shape_moves.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("elementwise, permute, gather, rotary embedding and pooling on CPUs", "[cpu]")
{
    if (has_target<arch::x86_avx2>())
        check_moves<arch::x86_avx2, float>();
}
TEST_CASE("elementwise, permute, gather, rotary embedding and pooling of CPUs on the strict emulator", "[cpu]")
{
    check_moves<arch::strict<arch::x86_avx2>, float>();
}
