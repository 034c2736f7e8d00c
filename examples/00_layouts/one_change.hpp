#pragma once

// The tile of small.hpp, with one parameter of its encoding changed at a time.

#include "small.hpp"

// H: the columns are 2*4 instead of 4*2. Half the lanes, runs of four neighbours instead of two.
using other_factors =
    tile_distribution_encoding<sequence<>, tuple<sequence<2, 2>, sequence<2, 4>>, tuple<sequence<1, 2>>,
                               tuple<sequence<1, 0>>, sequence<1, 2>, sequence<0, 1>>;
static_assert(partition_size(other_factors::value) == 4);
static_assert(element_at(other_factors::value, {1}, {0, 0}) == long_indices{0, 4});

// P: the column digit first. Neighbouring lanes stand one below the other.
using lanes_down = tile_distribution_encoding<sequence<>, tuple<sequence<2, 2>, sequence<4, 2>>, tuple<sequence<2, 1>>,
                                              tuple<sequence<0, 1>>, sequence<1, 2>, sequence<0, 1>>;
static_assert(element_at(lanes_down::value, {1}, {0, 0}) == long_indices{1, 0});

// P: two indices instead of one. The row digit counts waves, the column digit lanes.
using two_waves =
    tile_distribution_encoding<sequence<>, tuple<sequence<2, 2>, sequence<4, 2>>, tuple<sequence<1>, sequence<2>>,
                               tuple<sequence<1>, sequence<0>>, sequence<1, 2>, sequence<0, 1>>;
static_assert(element_at(two_waves::value, {1, 2}, {0, 0}) == long_indices{1, 4});

// Y: the column digit first. Lanes hold what they held, in other registers.
using registers_down =
    tile_distribution_encoding<sequence<>, tuple<sequence<2, 2>, sequence<4, 2>>, tuple<sequence<1, 2>>,
                               tuple<sequence<1, 0>>, sequence<2, 1>, sequence<1, 0>>;
static_assert(element_at(registers_down::value, {6}, {0, 1}) == element_at(small::value, {6}, {1, 0}));

// R: every element twice. The new digit must belong to a P: here the lane's most significant.
using twice = tile_distribution_encoding<sequence<2>, tuple<sequence<2, 2>, sequence<4, 2>>, tuple<sequence<0, 1, 2>>,
                                         tuple<sequence<0, 1, 0>>, sequence<1, 2>, sequence<0, 1>>;
static_assert(partition_size(twice::value) == 16);
static_assert(holder_of(twice::value, {3, 4}, 0).p == long_indices{6});
static_assert(holder_of(twice::value, {3, 4}, 1).p == long_indices{14});
