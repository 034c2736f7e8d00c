/// Reductions on CPUs, as the machine's own code and on the strict emulator: what is checked of GPUs.

#include "test/kernel/device_of_cpu.hpp"
#include "test/kernel/reduction/shape_reductions.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

using native = arch::x86_avx2;
using emulated = arch::strict<arch::x86_avx2>;

} // namespace

TEST_CASE("reductions of any shape on CPUs", "[cpu]")
{
    if (has_target<native>()) {
        check_reductions<native, float>();
        check_special_reductions<native, float>();
        check_reductions<native, bfloat16>();
    }
    check_reductions<emulated, float>();
}
