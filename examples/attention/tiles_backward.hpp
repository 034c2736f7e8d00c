#pragma once

// The kernels of the backward pass that a back end builds for a target.

#include "tiles.hpp"

#include <tegula/kernel/attention/backward/kernels.hpp>

namespace attention_example {

/// Kernels that change scores serve every problem; one of as many columns serves fewer.
template <class Target, class T, index_t Columns = 128>
using backward_kernels =
    tegula::attention_backward_for<Target, T, Columns, Columns, changing_variant, float, tegula::soft_cap<Target>>;

} // namespace attention_example
