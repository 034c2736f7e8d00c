#pragma once

// The kernels of the backward pass that a back end builds for a target.

#include "tiles.hpp"

#include <tegula/kernel/attention/backward/kernels.hpp>

namespace attention_example {

// 64 are the most that gradients have registers for on gfx90a.
template <class Target>
inline constexpr index_t backward_columns = std::is_same_v<Target, tegula::arch::gfx90a> ? 64 : 128;

/// Kernels that change scores serve every problem; one of as many columns serves fewer.
template <class Target, class T, index_t Columns = backward_columns<Target>>
using backward_kernels =
    tegula::attention_backward_for<Target, T, Columns, Columns, changing_variant, float, tegula::soft_cap<Target>>;

} // namespace attention_example
