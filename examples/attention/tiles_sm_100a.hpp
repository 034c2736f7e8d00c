#pragma once

// The table of kernels for sm_100a and sm_103a.

#include "tiles.hpp"

#include <tegula/attention.hpp>

namespace attention_example {

template <class Target, class T, index_t Columns, class Variant, tegula::attention_sequences Sequences>
    requires(Target::chip().tensor_columns > 0)
struct warp_specialized_choice<Target, T, Columns, Variant, Sequences>
{
    using type = tegula::tcgen05_attention<
        tegula::tcgen05_attention_tile_for<Target, T, Columns, Columns, tegula::tcgen05_exponentials, Variant>, float,
        Variant, tegula::unchanged_score, Sequences>;
};

template <class Target, class T, index_t Columns>
using tcgen05_changing_backward =
    tegula::tcgen05_backward_for<Target, T, Columns, Columns, changing_variant, float, tegula::soft_cap<Target>>;
template <class Target, class T, index_t Columns>
using tcgen05_plain_backward = tegula::tcgen05_backward_for<Target, T, Columns, Columns, plain_variant, float>;

} // namespace attention_example
