// One encoding with all its algebra: validation, both maps, registers, embedding, slices, bank conflicts.

#include <tegula/chip/chip_info.hpp>
#include <tegula/layout.hpp>
#include <tegula/layout/shared/shared_layout.hpp>

using namespace tegula;

using tile =
    tile_distribution_encoding<sequence<2>, tuple<sequence<4, 2, 8, 4>, sequence<2, 2, 8, 2>>,
                               tuple<sequence<0, 1, 2>, sequence<1, 2>>, tuple<sequence<0, 1, 1>, sequence<2, 2>>,
                               sequence<1, 2, 1, 2>, sequence<0, 0, 3, 3>>;
using inner = tile_distribution_encoding<sequence<>, tuple<sequence<2>, sequence<2>>, tuple<>, tuple<>, sequence<1, 2>,
                                         sequence<0, 0>>;
using distribution = tile_distribution<tile>;

static_assert(x_length(tile::value, 0) == 256 && x_length(tile::value, 1) == 64);
static_assert(registers_per_lane(tile::value) == 64);

using whole = embed_encoding<tile, inner>;
using turned = transpose_encoding<tile, sequence<1, 0>>;
using reduced = reduce_encoding<tile, 1>;

constexpr wave_accesses rows = make_wave_accesses<distribution, 2>(chip::gfx942, access_kind::store);
constexpr shared_layout_value layout = choose_shared_layout(chip::gfx942, 256, 64, 16, rows, rows);
static_assert(count_conflicts(chip::gfx942, layout, rows) >= 0);

long_index_t sum_of_offsets(int wave, int lane)
{
    const auto origin = distribution::origin({wave, lane});
    long_index_t sum = layout.offset(origin[0], origin[1]);
    sum += tile_distribution<whole>::origin({wave, lane})[0];
    sum += tile_distribution<turned>::origin({wave, lane})[1];
    sum += tile_distribution<reduced>::origin({wave, lane})[0];
    return sum;
}
