/// How the operands and the accumulator of a block's product lie in its lanes, for every tile that is shipped.

#include <tegula/arch/target.hpp>
#include <tegula/kernel/gemm/tiles.hpp>

#include "test/block/cover.hpp"
#include "test/catch.hpp"

using namespace tegula;
using tegula::test::covers;

namespace {

template <class Encoding, class Strides>
const encoding_value& encoding_of(tile_distribution<Encoding, Strides>)
{
    return Encoding::value;
}

template <class Tile>
void check_tile()
{
    using mma = typename Tile::mma;
    using atom = typename Tile::atom;
    INFO(Tile::target::chip().name << ", " << number_traits<typename Tile::a_type>::name() << ", " << Tile::block_m
                                   << " x " << Tile::block_n << " x " << Tile::block_k);
    const encoding_value& a = mma::a_encoding::raw;
    const encoding_value& b = mma::b_encoding::raw;
    // Waves along n share A, those along m share B; an instruction may want lanes that hold the same besides.
    CHECK(covers(a, Tile::block_m, mma::slice_k,
                 Tile::waves_n * replication(mma::transposed ? atom::b_encoding::raw : atom::a_encoding::raw)));
    CHECK(covers(b, Tile::block_n, mma::slice_k,
                 Tile::waves_m * replication(mma::transposed ? atom::a_encoding::raw : atom::b_encoding::raw)));
    for (const encoding_value* e : {&a, &b}) {
        CHECK(p_length(*e, 0) == mma::waves);
        CHECK(p_length(*e, 1) == Tile::target::wave_size);
        CHECK(detail::contiguous_run(*e, 1) * static_cast<long_index_t>(sizeof(typename Tile::a_type)) >= 16);
    }

    const encoding_value& c = encoding_of(typename mma::c_distribution{});
    CHECK(covers(c, Tile::block_m, Tile::block_n, 1));
    CHECK(covers(encoding_of(typename mma::strip_distribution{}), mma::strip_rows, Tile::block_n, 1));
    CHECK(registers_per_lane(c) * mma::block_threads == Tile::block_m * Tile::block_n);
}

template <class Target, class T>
void check_tiles()
{
    check_tile<typename gemm_tiles<Target, T>::t128x128>();
    check_tile<typename gemm_tiles<Target, T>::t64x64>();
    check_tile<typename gemm_tiles<Target, T>::t32x128>();
}

template <class Target, class... More>
void check_types()
{
    check_tiles<Target, bfloat16>();
    check_tiles<Target, std::int8_t>();
    check_tiles<Target, float>();
    (check_tiles<Target, More>(), ...);
}

/// Whether the product of T on the target is computed transposed, so that lanes store neighbouring columns.
template <class Target, class T>
constexpr bool transposed = gemm_tiles<Target, T>::t64x64::mma::transposed;
template <class Target, class T>
constexpr index_t slice = gemm_tiles<Target, T>::t64x64::mma::slice_k;

// MFMA and WMMA accumulators have neighbouring rows in a lane, mma.sync and multiply-adds neighbouring columns.
static_assert(transposed<arch::gfx90a, bfloat16> && transposed<arch::gfx942, std::int8_t>);
static_assert(transposed<arch::gfx1100, half> && transposed<arch::gfx1201, bfloat16>);
static_assert(!transposed<arch::sm_80, bfloat16> && !transposed<arch::sm_90a, std::int8_t>);
static_assert(!transposed<arch::gfx1100, float> && !transposed<arch::sm_80, float>);

// A lane reads 16 bytes of k; the lanes that stand along k make the slice.
static_assert(slice<arch::gfx942, bfloat16> == 32);    // 4 lanes along k
static_assert(slice<arch::gfx942, std::int8_t> == 64); // 4 lanes
static_assert(slice<arch::gfx1100, bfloat16> == 16);   // each half of the wave holds all k
static_assert(slice<arch::gfx1201, bfloat16> == 16);   // 2 lanes
static_assert(slice<arch::sm_80, bfloat16> == 32);     // 4 lanes
static_assert(slice<arch::sm_80, float> == 4);         // multiply-adds: all lanes hold the same k

} // namespace

TEST_CASE("operands and accumulators of the shipped tiles cover their tiles")
{
    check_types<arch::gfx90a>();
    check_types<arch::gfx942, tfloat32, float8_e4m3_fnuz>();
    check_types<arch::gfx1100>();
    check_types<arch::gfx1201, float8_e4m3>();
    check_types<arch::sm_80, tfloat32>();
    check_types<arch::sm_90a, float8_e4m3>();
}
