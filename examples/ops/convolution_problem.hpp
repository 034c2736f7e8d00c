#pragma once

// conv2d as the program hands it to a back end.

#include "problem.hpp"

#include <tegula/kernel/convolution/shape.hpp>

namespace ops_example {

struct convolution_problem : problem
{
    static constexpr const char* family = "convolution"; ///< in kernels.json
    tegula::convolution_shape<2> shape{};
    int in = none, weight = none; ///< packed, of the inputs' type
    int out = none;               ///< packed, float
};

} // namespace ops_example
