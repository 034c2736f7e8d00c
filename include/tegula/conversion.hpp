#pragma once

/// Plans that change one distribution into another: renamed registers, exchanges between lanes, or shared memory. Needs
/// a C++20 host compiler and nothing else. convert() of <tegula/tensor.hpp> carries a plan out in a kernel.

#include <tegula/conversion/conversion_plan.hpp>
