// The costs of an encoding in memory, as facts a kernel can assert.

#include <tegula/arch/amd/targets.hpp>
#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/core/half.hpp>
#include <tegula/drawing/analysis.hpp>

using namespace tegula;

namespace {

// Rows over waves, columns over lanes, two neighbours a lane: 32 lanes x 8 bytes are 8 sectors, all of them used.
using rows =
    tile_distribution_encoding<sequence<>, tuple<sequence<2, 4>, sequence<32, 2>>, tuple<sequence<1>, sequence<2>>,
                               tuple<sequence<0>, sequence<0>>, sequence<1, 2>, sequence<1, 1>>;
static_assert(coalescing<rows, float>.sectors_per_access == 8);
static_assert(coalescing<rows, float>.fewest_sectors == 8);
static_assert(coalescing<rows, float>.is_perfect());
static_assert(coalescing<rows, float>.vector == 2 && coalescing<rows, float>.access_bytes == 8);
static_assert(coalescing<rows, half>.sectors_per_access == 4);
// In a column-major tensor the lanes are one column apart, and so one sector.
static_assert(coalescing<rows, float, tile_order::column_major>.vector == 4);
static_assert(coalescing<rows, float, tile_order::column_major>.sectors_per_access == 32);
static_assert(!coalescing<rows, float, tile_order::column_major>.is_perfect());

// Lanes down the rows: each lane has a sector of its own for 4 bytes.
using columns = tile_distribution_encoding<sequence<>, tuple<sequence<32>, sequence<4>>, tuple<sequence<>, sequence<1>>,
                                           tuple<sequence<>, sequence<0>>, sequence<2>, sequence<0>>;
static_assert(coalescing<columns, float>.sectors_per_access == 32);
static_assert(coalescing<columns, float>.fewest_sectors == 16); // 32 lanes x 16 bytes
static_assert(coalescing<columns, float>.accesses == 1);
static_assert(coalescing<columns, double>.vector == 2 && coalescing<columns, double>.accesses == 2);

// A row that all lanes hold is read once.
using replicated = tile_distribution_encoding<sequence<32>, tuple<sequence<8>>, tuple<sequence<0>>, tuple<sequence<0>>,
                                              sequence<1>, sequence<0>>;
static_assert(coalescing<replicated, float>.sectors_per_access == 1);
static_assert(coverage<replicated, float>.replication == 32);
static_assert(coverage<replicated, half>.register_words == 4);
static_assert(coverage<rows, float>.elements == 512 && coverage<rows, float>.lanes == 64);
static_assert(coverage<rows, float>.registers == 8);

// 64 bytes from row to row: lanes l and l + 2 want the same 16 banks. A pitch of 20 words spreads 8 rows over all.
static_assert(bank_conflicts<columns, float, arch::sm_80, access_kind::load, 16>.conflicts > 0);
static_assert(bank_conflicts<columns, float, arch::sm_80, access_kind::load, 20>.conflicts == 0);
static_assert(bank_conflicts<columns, float, arch::sm_80, access_kind::load>.conflicts == 0); // packed
static_assert(bank_conflicts<columns, float, arch::sm_80, access_kind::load>.rule_is_published);
static_assert(!bank_conflicts<columns, float, arch::gfx1100, access_kind::load>.rule_is_published);
// One replica stores; a load of the same word by all lanes is a broadcast.
static_assert(bank_conflicts<replicated, float, arch::sm_80, access_kind::load>.conflicts == 0);
static_assert(bank_conflicts<replicated, float, arch::sm_80, access_kind::store>.conflicts == 0);

// A wave of a block-wide thread index has to be named.
using threads = tile_distribution_encoding<sequence<>, tuple<sequence<128, 2>>, tuple<sequence<1>>, tuple<sequence<0>>,
                                           sequence<1>, sequence<1>>;
static_assert(coalescing<threads, float, tile_order::row_major, 64>.sectors_per_access == 16);
static_assert(coalescing<threads, float, tile_order::row_major, 32>.sectors_per_access == 8);

// Two rows of 16 accesses a lane, whose banks are alike: the two lanes that store wait for one another in each access;
// of the lanes that load, those of each of four phases do.
using sixteen_copies = tile_distribution_encoding<sequence<16>, tuple<sequence<2>, sequence<64>>, tuple<sequence<0, 1>>,
                                                  tuple<sequence<0, 0>>, sequence<2>, sequence<0>>;
inline constexpr access_question words{32, 32};
static_assert(analyze_banks(sixteen_copies::value, chip::sm_80, access_kind::store, words).conflicts == 16);
static_assert(analyze_banks(sixteen_copies::value, chip::sm_80, access_kind::load, words).conflicts == 64);

// More accesses than 512 are counted, not the first ones of them.
using long_rows = tile_distribution_encoding<sequence<>, tuple<sequence<4, 32>, sequence<512>>, tuple<sequence<1>>,
                                             tuple<sequence<1>>, sequence<2, 1>, sequence<0, 0>>;
inline constexpr access_question single_words{32, 32, tile_order::column_major};
static_assert(analyze_coalescing(long_rows::value, single_words).accesses == 2048);
static_assert(analyze_coalescing(long_rows::value, single_words).sectors == 4 * 2048);
static_assert(analyze_banks(long_rows::value, chip::sm_80, access_kind::load, single_words).accesses == 2048);

} // namespace
