#pragma once

// moe as the program hands it to a back end.

#include "problem.hpp"

namespace ops_example {

struct moe_problem : problem
{
    static constexpr const char* family = "moe"; ///< in kernels.json
    long_index_t tokens = 0, width = 0, hidden = 0;
    index_t experts = 0, k = 1;
    int in = none, w1 = none, w2 = none; ///< packed, of the inputs' type
    int gate = none;                     ///< [width, experts] of the inputs' type; none where there are scores
    int scores = none;                   ///< [tokens, experts], float; written where there is a gate
    int workspace = none;                ///< float, as moe_workspace_bytes says
    int out = none;                      ///< [tokens, width], float
};

} // namespace ops_example
