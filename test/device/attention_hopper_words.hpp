#pragma once

/// Names and kernels that the device tests of warp-specialised attention share.

#include "test/device/attention_words.hpp"

#include <tegula/kernel/attention/warp_specialized/kernel.hpp>

namespace tegula {

// The names of the functions tell expectations what they are.
#define TEGULA_KEEP(name)                                                                                              \
    template <class Kernel>                                                                                            \
    __global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads)                                                        \
        name##_by_roles(const __grid_constant__ typename Kernel::arguments args)                                       \
    {                                                                                                                  \
        run_kernel<target>(Kernel{}, args);                                                                            \
    }
TEGULA_KEEP(plain)
TEGULA_KEEP(banded)

template <class T, index_t D, index_t ValueDim, attention_mask Mask, class O = T>
using by_roles =
    warp_specialized_attention<warp_specialized_attention_tile_for<target, T, D, ValueDim>, O, attention_variant<Mask>>;

} // namespace tegula
