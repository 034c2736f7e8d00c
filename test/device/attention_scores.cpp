// Attention forward whose scores are changed: the program's kernel, of a bias in memory and a soft cap inside a band, and
// slopes with a mask of bytes, and with dropout on CDNA (of slopes and dropout clang 19 spills six registers on gfx1201).
// Uniform numbers of each element, held across the loop, have spilled scalar registers here, and products sunk behind the
// changes vector registers on gfx1100.
//
// targets: gfx942 gfx1100
// full targets: gfx90a gfx950 gfx1201
// expect *: matrix >= 8, wide_global_load >= 2, wide_shared_load >= 4

#include "test/device/attention_words.hpp"

#include <tegula/kernel/attention/soft_cap.hpp>

namespace tegula {

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) changed(typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}

void keep_all(const void** kept)
{
    using biased = attention_variant<attention_mask::band, attention_bias::tensor>;
    using tile = attention_tile_for<target, bfloat16, 128>;
    *kept++ = reinterpret_cast<const void*>(changed<attention_kernel<tile, float, biased, soft_cap<target>>>);
    using sloping = attention_variant<attention_mask::boolean, attention_bias::alibi, target::wave_size == 64>;
    *kept++ = reinterpret_cast<const void*>(banded<attention_kernel<tile, bfloat16, sloping>>);
}

} // namespace tegula
