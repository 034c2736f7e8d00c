#pragma once

#include <tegula/core/packed_float.hpp>

/// The 6-bit floating-point formats of the Open Compute Project (Microscaling Formats 1.0). There is no infinity and no
/// NaN: larger values saturate, and NaN becomes the largest value, as in NVIDIA's conversions (cuda_fp6.hpp).
/// Used by gfx950, gfx1250 and Blackwell, with a scale for a block of elements: see core/block_scale.hpp.

namespace tegula {

struct float6_e2m3_format : float_format<std::uint8_t, 2, 3, 1, float_specials::none, overflow::saturate>
{};
struct float6_e3m2_format : float_format<std::uint8_t, 3, 2, 3, float_specials::none, overflow::saturate>
{};

/// One value in the low 6 bits of a byte; largest value 7.5, smallest step 0.125.
using float6_e2m3 = small_float<float6_e2m3_format>;
/// One value in the low 6 bits of a byte; largest value 28, smallest step 0.0625.
using float6_e3m2 = small_float<float6_e3m2_format>;
/// Four values in three bytes, element 0 in the lowest bits, as tensors in memory have them.
using float6_e2m3x4 = packed_float<float6_e2m3_format>;
using float6_e3m2x4 = packed_float<float6_e3m2_format>;

} // namespace tegula
