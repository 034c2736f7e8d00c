/// A mixture of experts on CPUs, as the machine's own code and on the strict emulator: what is checked of GPUs.

#include "test/kernel/cpu_tiles.hpp"
#include "test/kernel/device_of_cpu.hpp"
#include "test/kernel/moe/moe.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

template <class Tile>
void check_layers()
{
    for (const moe_case& f : {moe_case{64, 32, 64, 4, 2, 0}, {33, 16, 24, 300, 8, 0}, {20, 7, 9, 8, 8, 2}})
        check_moe<Tile>(f);
    check_moe<Tile, true>({33, 16, 24, 5, 2, 0});
}

} // namespace

TEST_CASE("CPU: mixture of experts on the strict emulator, f32", "[moe][cpu]") { check_layers<strict_cpu_tile>(); }
