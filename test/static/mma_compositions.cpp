// Atoms repeated along k and over waves: encodings like the rest, equal to what embed gives, with k permuted alike in A
// and B.

#include <tegula/block/mma_tile.hpp>
#include <tegula/mma/choose.hpp>

namespace tegula {
namespace {

using arch::gfx1100;
using arch::gfx1201;
using arch::gfx90a;
using arch::gfx942;
using arch::gfx950;
using arch::sm_80;
using arch::sm_90a;

// Packed operands are the lanes' digits with a run of k inside.

/// A run of k in the registers of a lane.
template <int Length>
using run = tile_distribution_encoding<sequence<>, tuple<sequence<>, sequence<Length>>, tuple<>, tuple<>, sequence<2>,
                                       sequence<0>>;

template <class Lanes, int Pack>
constexpr bool is_run_inside(const encoding_value& packed)
{
    return packed == embed(Lanes::raw, run<Pack>::raw);
}

// MFMA: lane = [4 groups of k, 16 rows].
using mfma_lanes = tile_distribution_encoding<sequence<>, tuple<sequence<16>, sequence<4>>, tuple<sequence<2, 1>>,
                                              tuple<sequence<0, 0>>, sequence<>, sequence<>>;
static_assert(is_run_inside<mfma_lanes, 8>(vector_atom<default_atom<gfx942, half>>::a_encoding::raw));
static_assert(is_run_inside<mfma_lanes, 16>(packed_atom<default_atom<gfx942, half>, 16>::b_encoding::raw));
static_assert(is_run_inside<mfma_lanes, 4>(vector_atom<default_atom<gfx90a, float>>::a_encoding::raw));

// WMMA of RDNA 3: both half-waves hold all of k; of RDNA 4: each holds half of it.
using half_waves = tile_distribution_encoding<sequence<2>, tuple<sequence<16>, sequence<>>, tuple<sequence<0, 1>>,
                                              tuple<sequence<0, 0>>, sequence<>, sequence<>>;
using k_halves = tile_distribution_encoding<sequence<>, tuple<sequence<16>, sequence<2>>, tuple<sequence<2, 1>>,
                                            tuple<sequence<0, 0>>, sequence<>, sequence<>>;
static_assert(is_run_inside<half_waves, 16>(vector_atom<default_atom<gfx1100, half>>::a_encoding::raw));
static_assert(is_run_inside<k_halves, 8>(vector_atom<default_atom<gfx1201, half>>::b_encoding::raw));

// mma.sync: lane = [8 rows, 4 groups of k], two halves of A's rows in registers.
using warp_a = tile_distribution_encoding<sequence<>, tuple<sequence<2, 8>, sequence<4>>, tuple<sequence<1, 2>>,
                                          tuple<sequence<1, 0>>, sequence<1>, sequence<0>>;
using warp_b = tile_distribution_encoding<sequence<>, tuple<sequence<8>, sequence<4>>, tuple<sequence<1, 2>>,
                                          tuple<sequence<0, 0>>, sequence<>, sequence<>>;
static_assert(is_run_inside<warp_a, 8>(vector_atom<default_atom<sm_80, half>>::a_encoding::raw));
static_assert(is_run_inside<warp_b, 8>(vector_atom<default_atom<sm_80, half>>::b_encoding::raw));

// A product does not mind the order of its k as long as A and B agree.

/// Where each k of each call lies in the packed operand; empty where lanes disagree, or where a lane's registers hold
/// another row than the instruction's.
template <int K>
struct k_order
{
    int place[K]{};
    bool valid = true;
    friend constexpr bool operator==(const k_order&, const k_order&) = default;
};

template <class Atom, int Pack>
constexpr auto order_of(const encoding_value& operand)
{
    constexpr int calls = packed_atom<Atom, Pack>::calls;
    const encoding_value packed = packed_operand(operand, 1, Pack);
    const packed_register_map map(operand, 1, Pack);
    const digit_table before = make_digit_table(operand), after = make_digit_table(packed);
    k_order<Atom::k * calls> order;
    for (int& place : order.place)
        place = -1;
    for (int call = 0; call < calls; ++call)
        for (int slot = 0; slot < registers_per_lane(operand); ++slot) {
            const int reg = map(call, slot);
            const auto y = unflatten(slot, y_lengths(operand), operand.num_y());
            const auto packed_y = unflatten(reg, y_lengths(packed), packed.num_y());
            for (int lane = 0; lane < partition_size(operand); ++lane) {
                const long_indices p = {lane};
                const long_indices x = calculate_index(before, p, y), to = calculate_index(after, p, packed_y);
                int& place = order.place[call * Atom::k + x[1]];
                order.valid = order.valid && x[0] == to[0] && (place == -1 || place == to[1]);
                place = static_cast<int>(to[1]);
            }
        }
    return order;
}

template <int K>
constexpr bool is_permutation(const k_order<K>& order)
{
    bool seen[K]{};
    for (int place : order.place) {
        if (place < 0 || place >= K || seen[place])
            return false;
        seen[place] = true;
    }
    return order.valid;
}

constexpr index_t to_nk[] = {1, 0};

/// Everything a packed atom promises of its operands.
template <class Atom, int Pack = vector_pack<Atom>>
consteval bool packs_well()
{
    using packed = packed_atom<Atom, Pack>;
    constexpr encoding_value a = Atom::a_encoding::raw, b = transpose(Atom::b_encoding::raw, to_nk);
    constexpr auto order_a = order_of<Atom, Pack>(a);
    constexpr auto order_b = order_of<Atom, Pack>(b);
    static_assert(is_permutation(order_a) && order_a == order_b);
    static_assert(validate(packed::a_encoding::raw).empty() && validate(packed::b_encoding::raw).empty());
    static_assert(replication(packed::a_encoding::raw) == replication(a));
    static_assert(x_length(packed::a_encoding::raw, 0) == Atom::m && x_length(packed::b_encoding::raw, 0) == Atom::n);
    static_assert(x_length(packed::a_encoding::raw, 1) == packed::k &&
                  x_length(packed::b_encoding::raw, 1) == packed::k);
    static_assert(packed::a_count == Atom::a_count * packed::calls && packed::c_count == Atom::c_count);
    return own_length(packed::a_encoding::raw, 1) == Pack;
}

static_assert(packs_well<default_atom<gfx942, half>>() && packs_well<default_atom<gfx942, half>, 16>());
static_assert(packs_well<shaped_atom<gfx942, half, 32, 32>>());
static_assert(packs_well<default_atom<gfx942, float8_e4m3_fnuz>>());
static_assert(packs_well<default_atom<gfx942, tfloat32>>());
static_assert(packs_well<default_atom<gfx90a, float>>());
static_assert(packs_well<default_atom<gfx90a, double>>());
static_assert(packs_well<default_atom<gfx950, half>>() && packs_well<default_atom<gfx950, float8_e4m3>>());
static_assert(packs_well<default_atom<gfx1100, half>>() && packs_well<default_atom<gfx1100, half>, 32>());
static_assert(packs_well<default_atom<gfx1201, half>>() && packs_well<default_atom<gfx1201, std::int8_t>>());
static_assert(packs_well<default_atom<sm_80, half>>() && packs_well<default_atom<sm_80, half>, 16>());
static_assert(packs_well<default_atom<sm_80, std::int8_t>>() && packs_well<default_atom<sm_80, tfloat32>>());
static_assert(packs_well<default_atom<sm_80, double>>());
static_assert(packs_well<default_atom<sm_90a, float8_e4m3>>() && packs_well<default_atom<sm_90a, double>>());

// A tile of 2 x 2 waves, 2 x 1 atoms each: [iterations, waves] outside, the packed atom inside.

/// One operand over {wave, lane}: its own waves, and R for those along the other dimension.
template <int Iterations>
using rows_of_waves =
    tile_distribution_encoding<sequence<2>, tuple<sequence<Iterations, 2>, sequence<>>, tuple<sequence<1, 0>>,
                               tuple<sequence<1, 0>>, sequence<1>, sequence<0>>;
template <int Iterations>
using columns_of_waves =
    tile_distribution_encoding<sequence<2>, tuple<sequence<Iterations, 2>, sequence<>>, tuple<sequence<0, 1>>,
                               tuple<sequence<0, 1>>, sequence<1>, sequence<0>>;
template <int Rows, int Columns>
using grid_of_waves =
    tile_distribution_encoding<sequence<>, tuple<sequence<Rows, 2>, sequence<Columns, 2>>, tuple<sequence<1, 2>>,
                               tuple<sequence<1, 1>>, sequence<1, 2>, sequence<0, 0>>;

// sm_80: neighbouring columns in a lane, so that the product is taken as it is.
using warp = default_atom<sm_80, half>;
using warp_tile = mma_tile<sm_80, warp, 64, 16, 2, 2>;
static_assert(!warp_tile::transposed && warp_tile::slice_k == 32);
static_assert(warp_tile::a_encoding::raw == embed(rows_of_waves<2>::raw, vector_atom<warp>::a_encoding::raw));
static_assert(warp_tile::b_encoding::raw == embed(columns_of_waves<1>::raw, vector_atom<warp>::b_encoding::raw));
static_assert(warp_tile::c_distribution::value == embed(grid_of_waves<2, 1>::raw, warp::c_encoding::raw));

// gfx942: neighbouring rows in a lane; the tile takes B as the instruction's A, and C comes out transposed.
using wave = default_atom<gfx942, half>;
using wave_tile = mma_tile<gfx942, wave, 64, 32, 2, 2>;
static_assert(wave_tile::transposed && wave_tile::slice_k == 32);
static_assert(wave_tile::a_encoding::raw == embed(rows_of_waves<2>::raw, vector_atom<wave>::b_encoding::raw));
static_assert(wave_tile::b_encoding::raw == embed(columns_of_waves<1>::raw, vector_atom<wave>::a_encoding::raw));
static_assert(wave_tile::c_distribution::value ==
              embed(grid_of_waves<2, 1>::raw, transpose(wave::c_encoding::raw, to_nk)));

// gfx1100: rows alternate between the half-waves; rotated, a lane's 8 rows are neighbours, and A's rotate with them.
using rdna = default_atom<gfx1100, half>;
using rdna_tile = mma_tile<gfx1100, rdna, 64, 32, 2, 2>;
static_assert(rdna_tile::transposed);
static_assert(rdna_tile::b_encoding::raw ==
              embed(columns_of_waves<1>::raw, rotate_dim(vector_atom<rdna>::a_encoding::raw, 0, 2)));
static_assert(rdna_tile::c_distribution::value ==
              embed(grid_of_waves<2, 1>::raw, transpose(rotate_dim(rdna::c_encoding::raw, 0, 2), to_nk)));

/// The tile holds each element of C once, and of A and B once for each wave that reads it.
template <class Tile, int WaveSize>
consteval bool tile_is_whole()
{
    constexpr encoding_value a = Tile::a_encoding::raw, b = Tile::b_encoding::raw, c = Tile::c_distribution::value;
    static_assert(validate(a).empty() && validate(b).empty() && validate(c).empty());
    static_assert(x_length(a, 0) == Tile::block_m && x_length(b, 0) == Tile::block_n);
    static_assert(x_length(c, 0) == Tile::block_m && x_length(c, 1) == Tile::block_n && replication(c) == 1);
    static_assert(p_length(a, 0) == Tile::waves && p_length(a, 1) == WaveSize);
    return replication(a) % Tile::waves_n == 0 && replication(b) % Tile::waves_m == 0;
}
static_assert(tile_is_whole<warp_tile, 32>() && tile_is_whole<wave_tile, 64>() && tile_is_whole<rdna_tile, 32>());

} // namespace
} // namespace tegula
