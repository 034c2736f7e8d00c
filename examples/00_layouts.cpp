// Tile distributions from zero: the encodings of docs/guide/layouts.md. What the compiler accepts here is proved; the
// program draws three of them. It needs no GPU and no library but tegula.

#include <tegula/arch/amd/targets.hpp>
#include <tegula/core/half.hpp>
#include <tegula/drawing/analysis.hpp>
#include <tegula/drawing/draw_ascii.hpp>
#include <tegula/drawing/explain.hpp>
#include <tegula/mma/table/instruction_table.hpp>
#include <tegula/mma/table/operand_layout.hpp>

#include <iostream>

using namespace tegula;

namespace {

constexpr owner holder_of(const encoding_value& e, const long_indices& x, long_index_t replica = 0)
{
    return find_owner(make_digit_table(e), x, replica);
}

constexpr long_indices element_at(const encoding_value& e, const long_indices& p, const long_indices& y)
{
    return calculate_index(make_digit_table(e), p, y);
}

// Read first.

// 4 x 8 elements over 8 lanes, 4 elements a lane.
using small = tile_distribution_encoding<sequence<>,                            // R: nothing is held twice
                                         tuple<sequence<2, 2>, sequence<4, 2>>, // H: 4 = 2*2 rows, 8 = 4*2 columns
                                         tuple<sequence<1, 2>>,                 // P: the lane is made of one digit
                                         tuple<sequence<1, 0>>,                 //    of the rows, one of the columns
                                         sequence<1, 2>,                        // Y: the other two digits count
                                         sequence<0, 1>>;                       //    registers

// The same type, each digit as a pair: tensor dimension (0: R), then place.
using small_by_pairs = tile_distribution_encoding_of<sequence<>,                             // R
                                                     tuple<sequence<2, 2>, sequence<4, 2>>,  // H
                                                     tuple<tuple<digit<1, 1>, digit<2, 0>>>, // P: one lane index
                                                     tuple<digit<1, 0>, digit<2, 1>>>;       // Y: two register indices
static_assert(std::is_same_v<small, small_by_pairs>);

// Lane 6 is digits (1, 2): row digit 1 of 2, column digit 2 of 4. Register (1, 0) is row digit 1, column digit 0.
static_assert(element_at(small::value, {6}, {1, 0}) == long_indices{1 * 2 + 1, 2 * 2 + 0});
static_assert(holder_of(small::value, {3, 4}).p == long_indices{6});
static_assert(holder_of(small::value, {3, 4}).y == long_indices{1, 0});

// Each of these changes one parameter.

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

// Then write: three that kernels need.

// 64 x 64 floats by 4 waves of 64 lanes. 16 lanes take a row in 16-byte pieces, 4 rows a wave at once.
using coalesced_load = tile_distribution_encoding<sequence<>, tuple<sequence<4, 4, 4>, sequence<16, 4>>,
                                                  tuple<sequence<1>, sequence<1, 2>>,
                                                  tuple<sequence<1>, sequence<2, 0>>, sequence<1, 2>, sequence<0, 1>>;
static_assert(coverage<coalesced_load, float>.lanes == 256);
static_assert(coverage<coalesced_load, float>.registers == 16);
static_assert(coalescing<coalesced_load, float>.access_bytes == 16);
static_assert(coalescing<coalesced_load, float>.is_perfect());

// A of v_mfma_f32_32x32x8_f16, 32 x 8: lane l holds row l % 32, and of the columns 4 * (l / 32) to 4 * (l / 32) + 3.
using mfma_operand = tile_distribution_encoding<sequence<>, tuple<sequence<32>, sequence<2, 4>>, tuple<sequence<2, 1>>,
                                                tuple<sequence<0, 0>>, sequence<2>, sequence<1>>;
static_assert(element_at(mfma_operand::value, {37}, {3}) == long_indices{5, 7});
static_assert(mfma_operand::value ==
              make_operand_layout(*find_instruction(gpu_arch::gfx942, "v_mfma_f32_32x32x8_f16"), operand::a).encoding);

// A row of 32 values that each of the two rows of lanes of that product needs: lanes l and l + 32 hold value l.
using replicated_row = tile_distribution_encoding<sequence<2>, tuple<sequence<32>>, tuple<sequence<0, 1>>,
                                                  tuple<sequence<0, 0>>, sequence<>, sequence<>>;
static_assert(coverage<replicated_row, float>.replication == 2);
static_assert(holder_of(replicated_row::value, {5}, 1).p == long_indices{37});
// It is what is left of the operand when its columns are summed: the lanes that held parts hold the same sum.
static_assert(reduce_encoding<mfma_operand, 1>::value ==
              tile_distribution_encoding<sequence<2>, tuple<sequence<32>>, tuple<sequence<0, 1>>, tuple<sequence<0, 0>>,
                                         sequence<>, sequence<>>::value);

void show(const char* title, const encoding_value& e)
{
    draw_ascii(std::cout, picture{e, title});
    explain(std::cout, e);
    std::cout << "\n";
}

} // namespace

int main()
{
    show("small", small::value);
    show("A of v_mfma_f32_32x32x8_f16", mfma_operand::value);
    show("A replicated row", replicated_row::value);
}
