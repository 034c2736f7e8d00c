#pragma once

// A transposition of dimensions.

#include "shapes.hpp"

inline status turn_dimensions(emulated_device& device, double& worst)
{
    const std::vector<float> x = whole_numbers(2 * 40 * 24);
    std::vector<float> y(x.size());

    permute_arguments<float> a;
    a.input = make_tensor_argument(x.data(), {2, 40, 24});
    a.output = make_tensor_argument(y.data(), {24, 2, 40});
    a.order[0] = 2, a.order[1] = 0, a.order[2] = 1; // as NumPy's transpose(2, 0, 1)
    const status s = launch(device, permute_kernels<target>{}, a);

    for (std::size_t i = 0; i < 2 * 40; ++i)
        for (std::size_t c = 0; c < 24; ++c)
            worst = std::fmax(worst, std::fabs(y[c * 80 + i] - x[i * 24 + c]));
    return s;
}
