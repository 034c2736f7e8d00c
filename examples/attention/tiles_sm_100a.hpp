#pragma once

// The table of kernels for sm_100a.

#include "tiles.hpp"

#include <tegula/attention_sm100.hpp>

namespace attention_example {

template <class T, index_t Columns>
struct warp_specialized_choice<tegula::arch::sm_100a, T, Columns>
{
    using type = tegula::tcgen05_attention<tegula::tcgen05_attention_tile_for<tegula::arch::sm_100a, T, Columns>, float,
                                           plain_variant>;
};

} // namespace attention_example
