// Which atoms there are, what GEMMs use, and what packing does to an operand.

#include <tegula/mma.hpp>

namespace tegula {
namespace {

using arch::gfx1100;
using arch::gfx1201;
using arch::gfx90a;
using arch::gfx942;
using arch::sm_80;
using arch::sm_90a;

// Types that each target has matrix instructions for.
static_assert(has_matrix_instruction<gfx90a, bfloat16> && has_matrix_instruction<gfx90a, float>);
static_assert(!has_matrix_instruction<gfx90a, tfloat32> && has_matrix_instruction<gfx942, tfloat32>);
static_assert(!has_matrix_instruction<gfx90a, float8_e4m3> && has_matrix_instruction<gfx942, float8_e4m3_fnuz>);
static_assert(has_matrix_instruction<gfx1201, float8_e4m3> && !has_matrix_instruction<gfx1100, float8_e4m3>);
static_assert(has_matrix_instruction<gfx1100, std::int8_t> && has_matrix_instruction<sm_80, std::int8_t>);
static_assert(!has_matrix_instruction<sm_80, float> && !has_matrix_instruction<gfx1100, float>);
static_assert(!has_matrix_instruction<sm_80, float8_e4m3> && has_matrix_instruction<sm_90a, float8_e4m3>);
static_assert(has_matrix_instruction<sm_80, double> && !has_matrix_instruction<gfx1201, double>);

// The preferred ones.
static_assert(std::is_same_v<default_atom<gfx942, bfloat16>, mma_atom<gfx942, bfloat16, bfloat16, float, 16, 16, 16>>);
static_assert(std::is_same_v<default_atom<gfx942, std::int8_t>,
                             mma_atom<gfx942, std::int8_t, std::int8_t, std::int32_t, 16, 16, 32>>);
static_assert(std::is_same_v<default_atom<sm_80, half>, mma_atom<sm_80, half, half, float, 16, 8, 16>>);
static_assert(std::is_same_v<default_atom<sm_80, double>, mma_atom<sm_80, double, double, double, 8, 8, 4>>);
static_assert(std::is_same_v<default_atom<sm_80, float>, fma_atom<sm_80, float, float, float>>);
static_assert(std::is_same_v<shaped_atom<gfx942, half, 32, 32>, mma_atom<gfx942, half, half, float, 32, 32, 8>>);

// An instruction's own layout: lane = [4 groups of k, 16 rows], 4 neighbouring k a lane.
using atom = default_atom<gfx942, half>;
static_assert(
    std::is_same_v<atom::a_encoding,
                   tile_distribution_encoding<sequence<>, tuple<sequence<16>, sequence<4, 4>>, tuple<sequence<2, 1>>,
                                              tuple<sequence<0, 0>>, sequence<2>, sequence<1>>>);

// Packed by 8 a lane reads 16 bytes, and two calls take k in turn.
using wide = vector_atom<atom>;
static_assert(wide::calls == 2 && wide::k == 32 && wide::a_count == 8);
static_assert(
    std::is_same_v<wide::a_encoding,
                   tile_distribution_encoding<sequence<>, tuple<sequence<16>, sequence<4, 8>>, tuple<sequence<2, 1>>,
                                              tuple<sequence<0, 0>>, sequence<2>, sequence<1>>>);
static_assert(std::is_same_v<wide::a_encoding, wide::b_encoding>); // B is [n, k]
static_assert(packed_register_map(atom::a_encoding::raw, 1, 8)(1, 2) == 6);

// gfx1201 holds two runs of 4; packed, a lane's 8 k are neighbours.
static_assert(x_length(vector_atom<default_atom<gfx1201, half>>::a_encoding::raw, 1) == 16);
static_assert(own_length(default_atom<gfx1201, half>::a_encoding::raw, 1) == 8);
static_assert(vector_atom<default_atom<gfx1201, half>>::a_encoding::raw.hs[1] == encoding_value::lengths_type{2, 8});

// mma.sync: registers are [k high, row half, k pair]; packed they are [row half, 8 k].
using warp = default_atom<sm_80, half>;
static_assert(vector_atom<warp>::a_encoding::raw.ys.size() == 2);
static_assert(packed_register_map(warp::a_encoding::raw, 1, 8)(0, 2) == 8); // row half 1, k 0
static_assert(packed_register_map(warp::a_encoding::raw, 1, 8)(1, 4) == 6); // row half 0, k high 1 of the second call

// A multiply-add atom: 16-byte stores of f32, operands repeated over the lanes that share them.
using outer = fma_atom<sm_80, float, float, float>;
static_assert(outer::m == 32 && outer::n == 16 && replication(outer::a_encoding::raw) == 4);
static_assert(replication(outer::b_encoding::raw) == 8 && outer::c_encoding::raw.ys.back() == rh_digit{2, 1});

} // namespace
} // namespace tegula
