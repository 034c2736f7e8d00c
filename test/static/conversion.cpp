// Plans that turn one distribution of a tile into another.

#include "test/conversion/conversion_pairs.hpp"

#include <tegula/conversion.hpp>
#include <tegula/layout.hpp>
#include <tegula/tensor/static_conversion.hpp>

using namespace tegula;

namespace {

// 32 x 8 in one wave of 32 lanes.
using row_a_lane = tile_distribution_encoding<sequence<>, tuple<sequence<32>, sequence<8>>, tuple<sequence<1>>,
                                              tuple<sequence<0>>, sequence<2>, sequence<0>>;
using row_a_lane_spelt_otherwise =
    tile_distribution_encoding<sequence<>, tuple<sequence<4, 8>, sequence<2, 4>>, tuple<sequence<1, 1>>,
                               tuple<sequence<0, 1>>, sequence<2, 2>, sequence<0, 1>>;
using registers_reversed =
    tile_distribution_encoding<sequence<>, tuple<sequence<32>, sequence<2, 4>>, tuple<sequence<1>>, tuple<sequence<0>>,
                               sequence<2, 2>, sequence<1, 0>>;
/// One register bit and one lane bit change places.
using half_rows = tile_distribution_encoding<sequence<>, tuple<sequence<2, 16>, sequence<2, 4>>, tuple<sequence<2, 1>>,
                                             tuple<sequence<0, 1>>, sequence<1, 2>, sequence<0, 1>>;
/// A row a lane, with the lanes in another order.
using lanes_reordered =
    tile_distribution_encoding<sequence<>, tuple<sequence<2, 16>, sequence<8>>, tuple<sequence<1, 1>>,
                               tuple<sequence<1, 0>>, sequence<2>, sequence<0>>;
/// Copies in pairs of lanes: 16 rows, the same in both halves of the wave; here of a tile 16 x 8.
using copied_rows = tile_distribution_encoding<sequence<2>, tuple<sequence<16>, sequence<8>>, tuple<sequence<0, 1>>,
                                               tuple<sequence<0, 0>>, sequence<2>, sequence<0>>;
using split_rows = tile_distribution_encoding<sequence<>, tuple<sequence<16>, sequence<2, 4>>, tuple<sequence<2, 1>>,
                                              tuple<sequence<0, 0>>, sequence<2>, sequence<1>>;
/// 32 x 8 in each of four waves; and a pair of columns for each of them.
using in_every_wave =
    tile_distribution_encoding<sequence<4>, tuple<sequence<32>, sequence<4, 2>>, tuple<sequence<0>, sequence<1>>,
                               tuple<sequence<0>, sequence<0>>, sequence<2, 2>, sequence<0, 1>>;
using pair_a_wave =
    tile_distribution_encoding<sequence<>, tuple<sequence<32>, sequence<4, 2>>, tuple<sequence<2>, sequence<1>>,
                               tuple<sequence<0>, sequence<0>>, sequence<2>, sequence<1>>;
// 64 x 64 over four waves.
using wave_rows = tile_distribution_encoding<sequence<>, tuple<sequence<4, 2, 8>, sequence<4, 16>>,
                                             tuple<sequence<1>, sequence<1, 2>>, tuple<sequence<0>, sequence<2, 0>>,
                                             sequence<1, 2>, sequence<1, 1>>;
using wave_columns = tile_distribution_encoding<sequence<>, tuple<sequence<4, 2, 8>, sequence<4, 16>>,
                                                tuple<sequence<2>, sequence<1, 1>>, tuple<sequence<0>, sequence<0, 2>>,
                                                sequence<1, 2>, sequence<1, 1>>;

template <class Source, class Destination>
constexpr conversion_plan plan(int bits, bool force_shared = false)
{
    return plan_conversion(chip::sm_80, Source::value, Destination::value, bits, {force_shared});
}

using enum conversion_method;

static_assert(plan<row_a_lane, row_a_lane>(32).method == none);
static_assert(plan<row_a_lane, row_a_lane_spelt_otherwise>(32).method == none);
static_assert(plan<row_a_lane, registers_reversed>(32).method == registers);
static_assert(plan<row_a_lane, row_a_lane>(32, true).method == shared, "as the caller demands");

// One swap of a register bit and a lane bit: half of the eight registers cross.
static_assert(plan<row_a_lane, half_rows>(32).method == shuffle);
static_assert(plan<row_a_lane, half_rows>(32).shuffles == 4);
static_assert(plan<row_a_lane, half_rows>(16).shuffles == 2, "two elements a word");
static_assert(plan<row_a_lane, half_rows>(8).shuffles == 1, "four elements a word");
static_assert(plan<row_a_lane, half_rows>(4).shuffles == 1, "no more than the registers that stay registers");
static_assert(plan<row_a_lane, half_rows>(64).shuffles == 8, "two words an element");
static_assert(plan<row_a_lane, lanes_reordered>(32).shuffles == 8);

// A lane takes its own copy: a choice between registers, and nothing crosses lanes.
static_assert(plan<copied_rows, split_rows>(32).method == registers);
static_assert(plan<split_rows, copied_rows>(32).shuffles == 8, "each lane reads the halves of a row where they are");

static_assert(plan<in_every_wave, pair_a_wave>(32).method == registers, "the copy in the own wave");
static_assert(plan<pair_a_wave, in_every_wave>(32).method == shared);

// Across waves: 16-byte accesses on both sides, and no conflicts.
constexpr conversion_plan across = plan<wave_rows, wave_columns>(16);
static_assert(across.method == shared);
static_assert(across.staging.bytes() == 64 * 64 * 2);
static_assert(across.staging.store.vector == 8 && across.staging.load.vector == 8);
static_assert(across.staging.store.conflicts == 0 && across.staging.load.conflicts == 0);
static_assert(!across.staging.within_waves);
static_assert(plan<row_a_lane, half_rows>(32, true).staging.within_waves);

// A gather of 224 registers and then a whole search for a layout stay within what compilers evaluate by default.
constexpr auto many_registers = conversion_pairs::generator(11380).pair(64);
static_assert(
    begin_conversion_search(chip::gfx942, many_registers.source, many_registers.destination, 32).plan.method == shared);

// A search in three constant evaluations: the first finds 184 cycles, the third what the second had no time for.
struct searched_in_parts
{
    static constexpr conversion_pairs::encoding_pair both = conversion_pairs::generator(810274733).pair(64);
    struct source_raw
    {
        static constexpr encoding_value raw = both.source;
    };
    struct destination_raw
    {
        static constexpr encoding_value raw = both.destination;
    };
    using conversion = detail::static_conversion<arch::gfx950, 4, tile_distribution<encoding_from<source_raw>>,
                                                 tile_distribution<encoding_from<destination_raw>>, false, INT32_MAX>;
};
static_assert(searched_in_parts::conversion::search<0>.plan.cost == 184);
static_assert(searched_in_parts::conversion::search<1>.plan.cost == 184);
static_assert(searched_in_parts::conversion::plan.cost == 144);

} // namespace
