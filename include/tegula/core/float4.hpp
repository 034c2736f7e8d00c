#pragma once

#include <tegula/core/packed_float.hpp>

/// The 4-bit floating-point format of the Open Compute Project (Microscaling Formats 1.0): values 0, 0.5, 1, 1.5, 2, 3,
/// 4, 6 and their negatives. There is no infinity and no NaN: larger values saturate, and NaN becomes the largest
/// value, as in NVIDIA's conversions (cuda_fp4.hpp). Used by gfx950, gfx1250 and Blackwell, with a scale for a
/// block of elements: see core/block_scale.hpp.

namespace tegula {

struct float4_e2m1_format : float_format<std::uint8_t, 2, 1, 1, float_specials::none, overflow::saturate>
{};

/// One value in the low 4 bits of a byte.
using float4_e2m1 = small_float<float4_e2m1_format>;
/// Two values in a byte, element 0 in the low half, as tensors in memory have them.
using float4_e2m1x2 = packed_float<float4_e2m1_format>;

} // namespace tegula
