// not in the demo
#include "emulated.hpp"

using namespace gemm_example;
using target = tegula::arch::sm_120a;

/// Its instructions for these types are those of sm_80 and sm_89: the large tiles in bf16 alone, to build sooner.
template <template <class> class Inputs, class... TileNames>
static bool add()
{
    return add_kernels(make_entries<Inputs<target>, emulated>(device::emulator, type_list<TileNames...>{}));
}

static const bool added[] = {add<bf16_inputs, t128x256_tile, t128x128_tile, t64x64_tile>(),
                             add<f16_inputs, t64x64_tile>(), add<tf32_inputs, t64x64_tile>(),
                             add<int8_inputs, t64x64_tile>(), add<fp8_inputs, t64x64_tile>()};
