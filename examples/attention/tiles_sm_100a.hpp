#pragma once

// The table of kernels for sm_100a and sm_103a.

#include "tiles.hpp"

#include <tegula/attention_sm100.hpp>

namespace attention_example {

template <class Target, class T, index_t Columns>
    requires(Target::chip().tensor_columns > 0)
struct warp_specialized_choice<Target, T, Columns>
{
    using type =
        tegula::tcgen05_attention<tegula::tcgen05_attention_tile_for<Target, T, Columns>, float, plain_variant>;
};

} // namespace attention_example
