#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/layout/shared/tma_swizzled_layout.hpp>"

#include <tegula/layout/deprecated.hpp>
#include <tegula/layout/shared/tma_swizzled_layout.hpp>
