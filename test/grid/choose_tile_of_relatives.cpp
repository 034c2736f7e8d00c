// The choice of a tile for the relatives of the targets in test/kernel/gemm/choose/choose_tile.cpp.

#include "test/catch.hpp"

#include <tegula/arch/amd/targets.hpp>
#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/kernel/gemm/choose/choose_tile.hpp>
#include <tegula/kernel/gemm/tiles.hpp>

#include <string>

namespace tegula::test {
namespace {

template <class Target>
void check_relative()
{
    using tiles = gemm_tiles<Target, half>;
    const tile_description all[] = {describe<typename tiles::t128x128>("t128x128"),
                                    describe<typename tiles::t64x64>("t64x64"),
                                    describe<typename tiles::t32x128>("t32x128")};
    const auto choose = [&](gemm_size size) {
        const tile_choice choice = choose_tile(size, Target::chip(), all);
        REQUIRE(choice);
        return std::string(all[choice.index].name);
    };
    INFO(Target::chip().name);
    // A multiprocessor of sm_120a multiplies at half of the others' rate: the smaller tile's reads are hidden too.
    CHECK(choose({8192, 8192, 8192}) == (arch_of<Target>() == gpu_arch::sm_120a ? "t64x64" : "t128x128"));
    CHECK(choose({64, 64, 4096}) == "t64x64");
    for (const tile_description& tile : all)
        CHECK(fits_chip(tile, Target::chip()));
}

template <class... Targets>
void check_relatives()
{
    (check_relative<Targets>(), ...);
}

TEST_CASE("the relatives of other targets choose by their own chips", "[gemm][choose]")
{
    using namespace arch;
    check_relatives<gfx908, gfx950, gfx1101, gfx1102, gfx1103, gfx1150, gfx1151, gfx1200, sm_75, sm_86, sm_120a,
                    sm_121>();
}

} // namespace
} // namespace tegula::test
