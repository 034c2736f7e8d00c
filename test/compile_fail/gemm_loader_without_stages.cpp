// A tile whose operand A has a loader of its own that cannot load.
//
// expect: tegula: a_loader and b_loader of a tile load operands to the block; each is an operand_loader

#include <tegula/tegula.hpp>

using namespace tegula;

struct tile : gemm_tiles<arch::sm_80, half>::t32x128
{
#ifndef TEGULA_CONTROL
    template <operand_order>
    struct a_loader
    {
        static constexpr bool asynchronous = true, buffered = false, instruction_order = true;
        static constexpr bool by_tiles = false, by_mbarriers = false;
        static constexpr int copies_of_stage = 0;
        static constexpr index_t tile_elements = 32 * 32;
    };
#endif
};

using pipeline = operand_pipeline<tile, operand_order::k_contiguous, operand_order::k_contiguous>;
static_assert(pipeline::asynchronous);
