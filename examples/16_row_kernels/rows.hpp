#pragma once

// The target, its tiles and random numbers of these examples.

#include <tegula/host/emulated_device.hpp>
#include <tegula/normalization.hpp>
#include <tegula/reference/random.hpp>
#include <tegula/reference/rows.hpp>

#include <cmath>
#include <vector>

using namespace tegula;
using target = arch::gfx942;
using tiles = few_row_tiles_for<target, 4>; // 16 bytes of float; row_tiles_for has more

/// Random numbers.
inline std::vector<float> numbers(long_index_t count, std::uint64_t seed)
{
    std::vector<float> x(static_cast<std::size_t>(count));
    fill_normal<float>(x, seed);
    return x;
}
