// not in the demo
#include "emulated.hpp"
#include "tiles_sm_100a.hpp"

using namespace attention_example;

using target = tegula::arch::sm_100a;
using tile = tile_of<target, tegula::bfloat16, 256>; // for what tcgen05 does not take

static const bool added[] = {
    add_kernels({make_entry<tile>("bf16", device::emulator, &run_emulated<tile>)}),
    add_emulated_warp_specialized<target, tegula::bfloat16, 64>("bf16"),
    add_emulated_warp_specialized<target, tegula::bfloat16, 128>("bf16"),
};
