#pragma once

#include "support.hpp"

/// The check behind the tests of convert, and pairs of distributions of one tile.

/// The value of element x of a tile, different for every element.
template <class T, int N>
T code_of(const multi_index<N>& x)
{
    int code = 1;
    for (int i = 0; i < N; ++i)
        code = code * 131 + x[i];
    if constexpr (std::is_arithmetic_v<T>)
        return static_cast<T>(code);
    else
        return T{code, code + 1, code + 2};
}

/// Changes Source to Destination through Bytes of shared memory (a wave: each wave its own) and checks what every
/// thread has then.
template <class Target, class T, class Source, class Destination, index_t Bytes, bool ThroughShared = false>
emulator::counters check_convert(int threads, bool per_wave = false)
{
    constexpr int n = Destination::num_registers;
    std::vector<T> got(static_cast<std::size_t>(threads * n));
    const int waves = per_wave ? threads / Target::wave_size : 1;
    const auto counted = run_on<Target>(threads, Bytes * waves, {}, [&] {
        distributed_tensor<T, Source> tile;
        sweep<Target>(tile, [](T& e, const auto& x) { e = code_of<T>(x); });
        std::byte* const scratch = Target::shared_memory() + (per_wave ? Target::wave_id() * Bytes : 0);
        distributed_tensor<T, Destination> changed;
        for (int again = 0; again < 2; ++again) // the scratch memory is free again
            changed = detail::convert_tile<Target, Destination, ThroughShared, Bytes>(tile, scratch, call_site::here());
        for (int r = 0; r < n; ++r)
            got[static_cast<std::size_t>(Target::thread_id() * n + r)] = changed[r];
    });
    int wrong = 0;
    for (int t = 0; t < threads; ++t)
        for (int r = 0; r < n; ++r)
            wrong += !(got[static_cast<std::size_t>(t * n + r)] == code_of<T>(element_held<Target, Destination>(t, r)));
    CHECK(wrong == 0);
    return counted;
}

template <class Target, class T, class A, class B>
void check_both_ways(int threads)
{
    check_convert<Target, T, A, B, conversion_scratch_bytes<Target, T, A, B>>(threads);
    check_convert<Target, T, B, A, conversion_scratch_bytes<Target, T, B, A>>(threads);
}

struct triple
{
    int a, b, c;
    friend bool operator==(const triple&, const triple&) = default;
};

// [W, 16], five ways.
template <index_t W>
using rows4 = row_vectors<W, 2, 4, 4>;
template <index_t W>
using columns8 = column_vectors<W, 1, 8>;
/// rows4 with the digits of rows split and the registers in another order.
template <index_t W>
using rows4_reordered = tile_distribution<tile_distribution_encoding<
    sequence<>, tuple<sequence<2, 2, 2, W / 8>, sequence<4, 2, 2>>, tuple<sequence<1>, sequence<1, 1, 2>>,
    tuple<sequence<1>, sequence<2, 3, 0>>, sequence<2, 1, 2>, sequence<2, 0, 1>>>;
/// One copy a wave, columns over the lanes.
template <index_t W>
using in_every_wave =
    tile_distribution<tile_distribution_encoding<sequence<2>, tuple<sequence<16, W / 16>, sequence<16>>,
                                                 tuple<sequence<0>, sequence<2, 1>>, tuple<sequence<0>, sequence<0, 1>>,
                                                 sequence<1>, sequence<0>>>;
/// Copies between the lanes.
template <index_t W>
using replicated_lanes = tile_distribution<
    tile_distribution_encoding<sequence<2>, tuple<sequence<16, W / 16>, sequence<4, 4>>, tuple<sequence<2, 0, 1, 2>>,
                               tuple<sequence<0, 0, 1, 1>>, sequence<1>, sequence<0>>>;

// [5 W, 6] in 3 W threads.
template <index_t W>
using odd_pairs = tile_distribution<
    tile_distribution_encoding<sequence<>, tuple<sequence<5, W>, sequence<2, 3>>, tuple<sequence<1, 2>>,
                               tuple<sequence<1, 1>>, sequence<1, 2>, sequence<0, 0>>>;
template <index_t W>
using odd_pairs_other = tile_distribution<
    tile_distribution_encoding<sequence<>, tuple<sequence<W, 5>, sequence<3, 2>>, tuple<sequence<2, 1>>,
                               tuple<sequence<0, 0>>, sequence<2, 1>, sequence<1, 1>>>;

// One and three dimensions.
template <index_t W>
using line_blocked =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<2, W, 6>>, tuple<sequence<1>, sequence<1>>,
                                                 tuple<sequence<0>, sequence<1>>, sequence<1>, sequence<2>>>;
template <index_t W>
using line_cyclic =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<6, 2, W>>, tuple<sequence<1>, sequence<1>>,
                                                 tuple<sequence<1>, sequence<2>>, sequence<1>, sequence<0>>>;
template <index_t W>
using cube_a =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<3>, sequence<W>, sequence<2, 4>>,
                                                 tuple<sequence<3>, sequence<2>>, tuple<sequence<0>, sequence<0>>,
                                                 sequence<1, 3>, sequence<0, 1>>>;
template <index_t W>
using cube_b =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<3>, sequence<2, W / 8, 4>, sequence<8>>,
                                                 tuple<sequence<2>, sequence<2, 3>>, tuple<sequence<0>, sequence<1, 0>>,
                                                 sequence<2, 1>, sequence<2, 0>>>;

// Tiles of one wave.
template <index_t W>
using wave_rows =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<W>, sequence<8>>, tuple<sequence<1>>,
                                                 tuple<sequence<0>>, sequence<2>, sequence<0>>>;
template <index_t W>
using wave_patches = tile_distribution<
    tile_distribution_encoding<sequence<>, tuple<sequence<W / 4, 4>, sequence<4, 2>>, tuple<sequence<2, 1>>,
                               tuple<sequence<0, 0>>, sequence<1, 2>, sequence<1, 1>>>;
/// wave_rows by two waves, four columns each.
template <index_t W>
using two_wave_rows = tile_distribution<
    tile_distribution_encoding<sequence<>, tuple<sequence<W>, sequence<2, 4>>, tuple<sequence<2>, sequence<1>>,
                               tuple<sequence<0>, sequence<0>>, sequence<2>, sequence<1>>>;
