// Attention forward whose scores are changed: by a boolean mask, a bias in memory, a soft cap and dropout in one kernel; by
// slopes inside a band and dropout; and by block lists and dropout. On RDNA clang 19 compiles them without dropout: of slopes
// beside it that spills six registers on gfx1201, of lists seven.
// Uniform numbers of each element, held across the loop, have spilled scalar registers here, comparisons held from one
// matrix to the next 113, and products sunk behind the changes vector registers on gfx1100; on sm_80 reads for several
// changes at once and the keys of dropout's rounds 15.
//
// full targets: gfx90a gfx942 gfx950 gfx1100 gfx1201 gfx1250 sm_80 sm_89 sm_90a
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
#if defined(__clang__)
    constexpr attention_weights weights =
        target::wave_size == 64 || __clang_major__ >= 22 ? attention_weights::dropped : attention_weights::all;
#else
    constexpr attention_weights weights = attention_weights::dropped;
#endif
    using biased = attention_variant<attention_mask::boolean, attention_bias::tensor, weights>;
    using tile = attention_tile_for<target, bfloat16, 128>;
    *kept++ = reinterpret_cast<const void*>(changed<attention_kernel<tile, float, biased, soft_cap<target>>>);
    using sloping = attention_variant<attention_mask::band, attention_bias::alibi, weights>;
    *kept++ = reinterpret_cast<const void*>(banded<attention_kernel<tile, bfloat16, sloping>>);
    using by_lists = attention_variant<attention_mask::lists, attention_bias::none, weights>;
    *kept++ = reinterpret_cast<const void*>(plain<attention_kernel<tile, bfloat16, by_lists>>);
}

} // namespace tegula
