#pragma once

/// Number formats of 32 bits and fewer, their conversions, and elements of 4 to 8 bits with a scale for each block.

#include <tegula/core/block_scale.hpp>
#include <tegula/core/convert.hpp>
#include <tegula/core/number_traits.hpp>
#include <tegula/core/scale_formats.hpp>
