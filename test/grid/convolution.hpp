#pragma once

#include "test/kernel/convolution/convolution.hpp"
#include "test/kernel/moe/moe.hpp"

namespace tegula::test {

/// Convolutions in two dimensions, all three directions, with all choices.
template <class Tile>
void check_convolution_grid()
{
    using enum convolution_direction;
    check_convolutions<forward, 2, Tile>(quarter::all);
    check_convolutions<backward_data, 2, Tile>(quarter::all);
    check_convolutions<backward_weight, 2, Tile>(quarter::all);
}

template <class Tile>
void check_moe_grid()
{
    for (const moe_case& f : {moe_case{37, 24, 40, 5, 2, 0},
                              {1, 16, 8, 1, 1, 0},
                              {130, 8, 72, 3, 3, 1},
                              {65, 5, 7, 70, 4, 2},
                              {0, 8, 8, 4, 2, 0},
                              {3, 8, 0, 4, 2, 0},
                              {33, 16, 24, 300, 8, 0}})
        check_moe<Tile>(f);
}

} // namespace tegula::test
