// not in the demo
#include "emulated.hpp"

using namespace attention_example;
using target = tegula::arch::sm_89;

/// In f16 one tile, to build sooner: the kernels are those of bf16 but for the type.
static const bool added[] = {add_emulated_kernels<target, tegula::bfloat16>("bf16"),
                             add_kernels({make_entry<tile_of<target, tegula::half, 128>>(
                                 "f16", device::emulator, &run_emulated<tile_of<target, tegula::half, 128>>)})};
