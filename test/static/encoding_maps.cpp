// Maps of an encoding: lengths, the element of a lane's register, and the owners of an element.
#include "test/static/encoding_words.hpp"

namespace {

using namespace specification;

// 4 waves x 32 lanes over 8 x 64: wave and register share the rows, lanes hold two neighbouring columns each.
using rows_over_waves =
    tile_distribution_encoding<sequence<>, tuple<sequence<2, 4>, sequence<32, 2>>, tuple<sequence<1>, sequence<2>>,
                               tuple<sequence<1>, sequence<0>>, sequence<1, 2>, sequence<0, 1>>;

// Digits as pairs give the same type.
static_assert(
    std::is_same_v<rows_over_waves,
                   tegula::tile_distribution_encoding_of<sequence<>, tuple<sequence<2, 4>, sequence<32, 2>>,
                                                         tuple<tuple<tegula::digit<1, 1>>, tuple<tegula::digit<2, 0>>>,
                                                         tuple<tegula::digit<1, 0>, tegula::digit<2, 1>>>>);

static_assert(x_lengths<rows_over_waves> == list(8, 64));
static_assert(p_lengths<rows_over_waves> == list(4, 32));
static_assert(y_lengths<rows_over_waves> == list(2, 2));
static_assert(replication<rows_over_waves> == 1);
static_assert(registers<rows_over_waves> == 4);

//                                     wave, lane      registers         row, column
static_assert(element<rows_over_waves>(list(0, 0), list(0, 0)) == list(0, 0));
static_assert(element<rows_over_waves>(list(0, 1), list(0, 0)) == list(0, 2));
static_assert(element<rows_over_waves>(list(0, 1), list(0, 1)) == list(0, 3));
static_assert(element<rows_over_waves>(list(3, 0), list(0, 0)) == list(3, 0));
static_assert(element<rows_over_waves>(list(3, 0), list(1, 0)) == list(7, 0));
static_assert(element<rows_over_waves>(list(2, 5), list(1, 1)) == list(6, 11));

// The inverse names the one holder of an element.
static_assert(holds<rows_over_waves>(list(2, 5), list(1, 1), list(6, 11)));
static_assert(holds<rows_over_waves>(list(3, 31), list(1, 1), list(7, 63)));

// The first digit a P lists is its most significant one: lane = row * 3 + column.
using row_major_lanes = tile_distribution_encoding<sequence<>, tuple<sequence<5>, sequence<3>>, tuple<sequence<1, 2>>,
                                                   tuple<sequence<0, 0>>, sequence<>, sequence<>>;
using column_major_lanes =
    tile_distribution_encoding<sequence<>, tuple<sequence<5>, sequence<3>>, tuple<sequence<2, 1>>,
                               tuple<sequence<0, 0>>, sequence<>, sequence<>>;
static_assert(p_lengths<row_major_lanes> == list(15));
static_assert(registers<row_major_lanes> == 1);
static_assert(element<row_major_lanes>(list(7), list()) == list(2, 1));
static_assert(element<column_major_lanes>(list(7), list()) == list(2, 1));
static_assert(element<row_major_lanes>(list(4), list()) == list(1, 1));
static_assert(element<column_major_lanes>(list(4), list()) == list(4, 0));

// Lengths need not be powers of two, and the first factor of an X is its most significant one: x = 15 a + 5 b + c.
using radix_2_3_5 = tile_distribution_encoding<sequence<>, tuple<sequence<2, 3, 5>>, tuple<sequence<1, 1>>,
                                               tuple<sequence<2, 0>>, sequence<1>, sequence<1>>;
static_assert(x_lengths<radix_2_3_5> == list(30));
static_assert(p_lengths<radix_2_3_5> == list(10));
static_assert(element<radix_2_3_5>(list(7), list(2)) == list(15 * 1 + 5 * 2 + 3));
static_assert(holds<radix_2_3_5>(list(7), list(2), list(28)));

// Replication: every element is held by three lanes, and the replica counts the R digits.
using replicated = tile_distribution_encoding<sequence<3>, tuple<sequence<4>>, tuple<sequence<0, 1>>,
                                              tuple<sequence<0, 0>>, sequence<>, sequence<>>;
static_assert(replication<replicated> == 3);
static_assert(x_lengths<replicated> == list(4));
static_assert(p_lengths<replicated> == list(12));
static_assert(element<replicated>(list(2), list()) == list(2));
static_assert(element<replicated>(list(6), list()) == list(2));
static_assert(element<replicated>(list(10), list()) == list(2));
static_assert(holds<replicated>(list(2), list(), list(2), 0));
static_assert(holds<replicated>(list(6), list(), list(2), 1));
static_assert(holds<replicated>(list(10), list(), list(2), 2));

// With several R lengths the last one counts fastest, as in every other list.
using replicated_twice = tile_distribution_encoding<sequence<2, 3>, tuple<sequence<4>>, tuple<sequence<0>, sequence<0>>,
                                                    tuple<sequence<0>, sequence<1>>, sequence<1>, sequence<0>>;
static_assert(replication<replicated_twice> == 6);
static_assert(holds<replicated_twice>(list(0, 2), list(1), list(1), 2));
static_assert(holds<replicated_twice>(list(1, 0), list(1), list(1), 3));

// A P with no digit has length 1; a tensor dimension with no digit too.
using one_lane = tile_distribution_encoding<sequence<>, tuple<sequence<3>, sequence<>>, tuple<sequence<>>,
                                            tuple<sequence<>>, sequence<1>, sequence<0>>;
static_assert(p_lengths<one_lane> == list(1));
static_assert(x_lengths<one_lane> == list(3, 1));
static_assert(element<one_lane>(list(0), list(2)) == list(2, 0));

// Register order is the order of the Ys, whatever dimension they belong to.
using columns_first = tile_distribution_encoding<sequence<>, tuple<sequence<2>, sequence<3>>, tuple<>, tuple<>,
                                                 sequence<2, 1>, sequence<0, 0>>;
static_assert(y_lengths<columns_first> == list(3, 2));
static_assert(element<columns_first>(list(), list(2, 1)) == list(1, 2));

// Only valid encodings satisfy the concept.
static_assert(tegula::encoding<radix_2_3_5>);
static_assert(!tegula::encoding<int>);

} // namespace
