#pragma once

/// Mixtures of experts on CPUs, for cpu.cpp and test/grid/moe_cpu_strict.cpp.

#include "test/kernel/cpu_tiles.hpp"
#include "test/kernel/device_of_cpu.hpp"
#include "test/kernel/moe/moe.hpp"

namespace tegula::test {

template <class Tile>
void check_layers()
{
    for (const moe_case& f : {moe_case{64, 32, 64, 4, 2, 0}, {33, 16, 24, 300, 8, 0}, {20, 7, 9, 8, 8, 2}})
        check_moe<Tile>(f);
    check_moe<Tile, true>({33, 16, 24, 5, 2, 0});
}

} // namespace tegula::test
