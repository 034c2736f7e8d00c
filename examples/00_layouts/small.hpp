#pragma once

// One encoding to learn to read: 4 x 8 elements over 8 lanes.

#include <tegula/layout.hpp>

using namespace tegula;

constexpr owner holder_of(const encoding_value& e, const long_indices& x, long_index_t replica = 0)
{
    return find_owner(make_digit_table(e), x, replica);
}

constexpr long_indices element_at(const encoding_value& e, const long_indices& p, const long_indices& y)
{
    return calculate_index(make_digit_table(e), p, y);
}

// 4 x 8 elements over 8 lanes, 4 elements a lane.
using small = tile_distribution_encoding<sequence<>,                            // R: nothing is held twice
                                         tuple<sequence<2, 2>, sequence<4, 2>>, // H: 4 = 2*2 rows, 8 = 4*2 columns
                                         tuple<sequence<1, 2>>,                 // P: the lane is made of one digit
                                         tuple<sequence<1, 0>>,                 //    of the rows, one of the columns
                                         sequence<1, 2>,                        // Y: the other two digits count
                                         sequence<0, 1>>;                       //    registers

// The type `small` again, each digit as a pair: tensor dimension (0: R), then place.
using small_by_pairs = tile_distribution_encoding_of<sequence<>,                             // R
                                                     tuple<sequence<2, 2>, sequence<4, 2>>,  // H
                                                     tuple<tuple<digit<1, 1>, digit<2, 0>>>, // P: one lane index
                                                     tuple<digit<1, 0>, digit<2, 1>>>;       // Y: two register indices
static_assert(std::is_same_v<small, small_by_pairs>);

// Lane 6 is digits (1, 2): row digit 1 of 2, column digit 2 of 4. Register (1, 0) is row digit 1, column digit 0.
static_assert(element_at(small::value, {6}, {1, 0}) == long_indices{1 * 2 + 1, 2 * 2 + 0});
static_assert(holder_of(small::value, {3, 4}).p == long_indices{6});
static_assert(holder_of(small::value, {3, 4}).y == long_indices{1, 0});
