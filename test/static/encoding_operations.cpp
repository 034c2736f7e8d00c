// The algebra on types: embed, reduce, transpose, slice. Results are canonical types, equal when the digits are.
#include "test/static/encoding_words.hpp"

namespace {

using namespace specification;

// 2 waves of M over iterations, each wave tile 4 x 6: 4 lanes of M, 3 of N, 2 columns a lane.
using block = tile_distribution_encoding<sequence<>, tuple<sequence<3, 2>, sequence<1>>, tuple<sequence<1>>,
                                         tuple<sequence<1>>, sequence<1, 2>, sequence<0, 0>>;
using wave = tile_distribution_encoding<sequence<>, tuple<sequence<4>, sequence<3, 2>>, tuple<sequence<1, 2>>,
                                        tuple<sequence<0, 0>>, sequence<2>, sequence<1>>;

// embed: R, H, P and Y are concatenated, the inner minors follow the outer ones.
using tile = tegula::embed_encoding<block, wave>;
static_assert(
    same<tile, tile_distribution_encoding<sequence<>, tuple<sequence<3, 2, 4>, sequence<1, 3, 2>>,
                                          tuple<sequence<1>, sequence<1, 2>>, tuple<sequence<1>, sequence<2, 1>>,
                                          sequence<1, 2, 2>, sequence<0, 0, 2>>>);
static_assert(x_lengths<tile> == list(24, 6));
static_assert(p_lengths<tile> == list(2, 12));
// element = outer element * inner lengths + inner element
static_assert(element<block>(list(1), list(2, 0)) == list(5, 0));
static_assert(element<wave>(list(7), list(1)) == list(2, 3));
static_assert(element<tile>(list(1, 7), list(2, 0, 1)) == list(5 * 4 + 2, 0 * 6 + 3));

// embed carries replication of both sides.
using broadcast = tile_distribution_encoding<sequence<5>, tuple<sequence<2>>, tuple<sequence<0>>, tuple<sequence<0>>,
                                             sequence<1>, sequence<0>>;
static_assert(same<tegula::embed_encoding<broadcast, broadcast>,
                   tile_distribution_encoding<sequence<5, 5>, tuple<sequence<2, 2>>, tuple<sequence<0>, sequence<0>>,
                                              tuple<sequence<0>, sequence<1>>, sequence<1, 1>, sequence<0, 1>>>);

// reduce: digits of lanes become replication, digits of registers vanish, the dimensions go.
using row_sums = tegula::reduce_encoding<wave, 1>;
static_assert(same<row_sums, tile_distribution_encoding<sequence<3>, tuple<sequence<4>>, tuple<sequence<1, 0>>,
                                                        tuple<sequence<0, 0>>, sequence<>, sequence<>>>);
static_assert(x_lengths<row_sums> == list(4));
static_assert(p_lengths<row_sums> == p_lengths<wave>);
static_assert(replication<row_sums> == 3);

// The dimensions that stay move up, and their digits are renamed.
using column_sums = tegula::reduce_encoding<wave, 0>;
static_assert(same<column_sums, tile_distribution_encoding<sequence<4>, tuple<sequence<3, 2>>, tuple<sequence<0, 1>>,
                                                           tuple<sequence<0, 0>>, sequence<1>, sequence<1>>>);
// Everything at once leaves one number, held by every lane.
using total = tegula::reduce_encoding<wave, 0, 1>;
static_assert(x_lengths<total> == list());
static_assert(replication<total> == 12);
// No dimension: nothing changes.
static_assert(same<tegula::reduce_encoding<wave>, wave>);

// transpose: lanes and registers keep what they hold, the dimensions change places.
using transposed = tegula::transpose_encoding<wave, sequence<1, 0>>;
static_assert(
    same<transposed, tile_distribution_encoding<sequence<>, tuple<sequence<3, 2>, sequence<4>>, tuple<sequence<2, 1>>,
                                                tuple<sequence<0, 0>>, sequence<1>, sequence<1>>>);
static_assert(element<wave>(list(7), list(1)) == list(2, 3));
static_assert(element<transposed>(list(7), list(1)) == list(3, 2));
static_assert(same<tegula::transpose_encoding<transposed, sequence<1, 0>>, wave>);

// slice: cut along registers; every lane keeps its place.
using second_third = tegula::slice_encoding<tile, sequence<8, 0>, sequence<16, 6>>;
static_assert(x_lengths<second_third> == list(8, 6));
static_assert(p_lengths<second_third> == p_lengths<tile>);
static_assert(y_lengths<second_third> == list(1, 1, 2));
static_assert(tegula::slice(tile::value, list(8, 0), list(16, 6)).y_origins ==
              tegula::static_vector<tegula::index_t, tegula::encoding_value::max_y>(1, 0, 0));
// x of the slice + its begin = x of the tile at the origin of the registers
static_assert(element<second_third>(list(1, 7), list(0, 0, 1)) == list(6, 3));
static_assert(element<tile>(list(1, 7), list(1, 0, 1)) == list(8 + 6, 3));
// The whole tile is its own slice.
static_assert(same<tegula::slice_encoding<tile, sequence<0, 0>, sequence<24, 6>>, tile>);

// A slice cannot split the digits of lanes and waves, and lies inside the tile.
constexpr bool sliceable(const long_indices& begin, const long_indices& end)
{
    return tegula::slice(tile::value, begin, end).possible;
}
static_assert(sliceable(list(0, 0), list(8, 6)));
static_assert(!sliceable(list(0, 0), list(4, 6)));  // between waves
static_assert(!sliceable(list(0, 0), list(24, 3))); // inside a lane's pair and between lanes
static_assert(!sliceable(list(4, 0), list(12, 6))); // across the edge of a register digit
static_assert(!sliceable(list(0, 0), list(0, 6)));  // empty
static_assert(!sliceable(list(16, 0), list(32, 6)));
static_assert(!sliceable(list(-8, 0), list(8, 6)));

// exchange_digits: positions ((x * 2 + u) * 3 + l) * 2 + i of 24 become ((x * 3 + l) * 2 + u) * 2 + i; who holds a
// position in which register stays. The digits 4 and 6 are split, at 2 and at 6 and 12 positions.
constexpr bool exchanges_digits()
{
    tegula::encoding_value e;
    e.hs = {tegula::encoding_value::lengths_type{4, 6}};
    e.ps = {tegula::encoding_value::digits_type{tegula::rh_digit{1, 1}}};
    e.ys = {tegula::rh_digit{1, 0}};
    const tegula::encoding_value exchanged = tegula::exchange_digits(e, 0, 2, 3, 2);
    const auto position = [](const tegula::encoding_value& of, long lane, long reg) {
        const auto t = tegula::make_digit_table(of);
        long x = 0;
        for (int i = t.digits.size() - 1; i >= 0; --i) {
            const auto& d = t.digits[i];
            if (d.p_dim >= 0)
                x += lane / d.p_stride % d.length * d.x_stride;
        }
        for (int y = of.num_y() - 1; y >= 0; --y)
            for (const auto& d : t.digits)
                if (d.y_dim == y) {
                    x += reg % d.length * d.x_stride;
                    reg /= d.length;
                }
        return x;
    };
    for (long lane = 0; lane < 6; ++lane)
        for (long reg = 0; reg < 4; ++reg) {
            const long n = position(e, lane, reg);
            const long x = n / 12, u = n / 6 % 2, l = n / 2 % 3, i = n % 2;
            if (position(exchanged, lane, reg) != ((x * 3 + l) * 2 + u) * 2 + i)
                return false;
        }
    return tegula::validate(exchanged).empty();
}
static_assert(exchanges_digits());

} // namespace
