// not in the demo
#include "emulated.hpp"
#include "tiles_sm_100a.hpp"

using namespace attention_example;

using target = tegula::arch::sm_103a;

/// Its kernels are those of sm_100a: one by tcgen05, and one for what that does not take.
template <class T>
static bool add(const char* type)
{
    using tile = tile_of<target, T, 256>;
    return add_kernels({make_entry<tile>(type, device::emulator, &run_emulated<tile>)}) &&
           add_emulated_warp_specialized<target, T, 128>(type);
}
static const bool added[] = {add<tegula::bfloat16>("bf16"), add<tegula::half>("f16")};
