/// Movement of tensors on CPUs, as the machine's own code and on the strict emulator: what is checked of GPUs.

#include "test/kernel/device_of_cpu.hpp"
#include "test/kernel/movement/shape_moves.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

using native = arch::x86_avx2;
using emulated = arch::strict<arch::x86_avx2>;

template <class Target>
void check_moves()
{
    check_elementwise_shapes<Target, float>();
    check_permutes<Target, float>();
    check_gathers<Target, float>();
    check_rotaries<Target, float>();
    check_poolings<Target, float>();
}

} // namespace

TEST_CASE("elementwise, permute, gather, rotary embedding and pooling on CPUs", "[cpu]")
{
    if (has_target<native>())
        check_moves<native>();
}
TEST_CASE("elementwise, permute, gather, rotary embedding and pooling of CPUs on the strict emulator", "[cpu]")
{
    check_moves<emulated>();
}
