// The adaptor and the register descriptor of an encoding, written out.
#include <tegula/layout/descriptor/distribution_adaptor.hpp>

using namespace tegula;

namespace {

// 2 waves x 4 rows a lane group, 8 lanes x 2 neighbours: [2 * 4, 8 * 2], each wave pair holding the same tile twice.
using encoding_8x16 =
    tile_distribution_encoding<sequence<2>, tuple<sequence<4, 2>, sequence<8, 2>>, tuple<sequence<0>, sequence<1, 2>>,
                               tuple<sequence<0>, sequence<0, 0>>, sequence<1, 2>, sequence<1, 1>>;
constexpr auto xs = make_ps_ys_to_xs_adaptor<encoding_8x16>();
static_assert(xs.num_bottom == 2 && xs.num_top == 4);
static_assert(xs.lengths() == multi_index<4>{2, 32, 2, 2}); // P: replica, lane; Y: row, neighbour
static_assert(xs.calculate_bottom_index({0, 13, 1, 1}) == array<index_t, 2>{(13 / 8) * 2 + 1, (13 % 8) * 2 + 1});
static_assert(xs.calculate_bottom_index({1, 13, 1, 1}) == xs.calculate_bottom_index({0, 13, 1, 1}));

// Registers are packed in Y order unless strides say otherwise.
static_assert(make_ys_to_d_descriptor<encoding_8x16>().calculate_offset({1, 0}) == 2);
static_assert(make_ys_to_d_descriptor<encoding_8x16>().element_space_size() == 4);
static_assert(make_ys_to_d_descriptor(encoding_8x16{}, sequence<1, 2>{}).calculate_offset({1, 0}) == 1);

// A P with no digit has length 1; nothing replicated is no top dimension.
using encoding_2x2 =
    tile_distribution_encoding<sequence<>, tuple<sequence<2>, sequence<2>>, tuple<sequence<>, sequence<>>,
                               tuple<sequence<>, sequence<>>, sequence<1, 2>, sequence<0, 0>>;
constexpr auto registers_only = make_ps_ys_to_xs_adaptor<encoding_2x2>();
static_assert(registers_only.lengths() == multi_index<4>{1, 1, 2, 2});
static_assert(registers_only.calculate_bottom_index({0, 0, 1, 0}) == array<index_t, 2>{1, 0});

// The adaptor guarantees that neighbours of one lane are neighbours in the tile.
constexpr auto known = decltype(xs)::guarantees({vector_guarantee{any_vector_length, 1}, {any_vector_length, 1}});
static_assert(known[3].length == 2 && known[3].stride == 1);

} // namespace
