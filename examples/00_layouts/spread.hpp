#pragma once

// The encoding of docs/pictures/distribution.svg, with which README begins: 16 x 16 elements over 4 waves of 16 lanes.

#include <tegula/layout.hpp>

using namespace tegula;

using spread =
    tile_distribution_encoding_of<sequence<>,                               // R: nothing is held twice
                                  tuple<sequence<2, 4, 2>, sequence<8, 2>>, // H: 2*4*2 rows, 8*2 columns
                                  tuple<tuple<digit<1, 1>>, tuple<digit<1, 2>, digit<2, 0>>>, // P: wave; lane
                                  tuple<digit<1, 0>, digit<2, 1>>>;                           // Y: four registers
constexpr owner holder = find_owner(make_digit_table(spread::value), long_indices{11, 6}, 0); // of row 11, column 6
static_assert(holder.p == long_indices{1, 11} && holder.y == long_indices{1, 0}); // wave 1, lane 11, register 2 * 1 + 0
