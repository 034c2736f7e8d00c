#pragma once

// The target and numbers of these examples.

#include <tegula/host/emulated_device.hpp>
#include <tegula/reduction.hpp>

#include <cmath>
#include <vector>

using namespace tegula;
using target = arch::sm_80;

/// Small whole numbers: their sums are exact in float.
inline std::vector<float> whole_numbers(long_index_t count)
{
    std::vector<float> x(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(i * 7 % 11) - 5;
    return x;
}
