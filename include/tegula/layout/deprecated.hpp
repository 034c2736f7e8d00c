#pragma once

#include <tegula/layout/shared/tma_swizzled_layout.hpp>

/// Former names of layouts; the next version is without them.

namespace tegula {

using panel_layout_value [[deprecated("tegula: use tma_swizzled_layout_value")]] = tma_swizzled_layout_value;

} // namespace tegula
