// Changes of distribution: registers renamed, through shared memory whole or in strips, replicated and per wave.
#include "support.hpp"

namespace {

/// What element x of a tile is called; different for every element.
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

/// Changes Source to Destination through Bytes of shared memory (a wave: each wave its own) and checks what every thread
/// has then.
template <class Target, class T, class Source, class Destination, index_t Bytes>
emulator::counters check_redistribute(int threads, bool per_wave = false)
{
    constexpr int n = Destination::num_registers;
    std::vector<T> got(static_cast<std::size_t>(threads * n));
    const int waves = per_wave ? threads / Target::wave_size : 1;
    const auto counted = run_on<Target>(threads, Bytes * waves, {}, [&] {
        distributed_tensor<T, Source> tile;
        sweep<Target>(tile, [](T& e, const auto& x) { e = code_of<T>(x); });
        std::byte* const scratch = Target::shared_memory() + (per_wave ? Target::wave_id() * Bytes : 0);
        auto changed = redistribute<Target, Destination, Bytes>(tile, scratch);
        changed = redistribute<Target, Destination, Bytes>(tile, scratch); // the scratch memory is free again
        for (int r = 0; r < n; ++r)
            got[static_cast<std::size_t>(Target::thread_id() * n + r)] = changed[r];
    });
    int wrong = 0;
    for (int t = 0; t < threads; ++t)
        for (int r = 0; r < n; ++r)
            wrong +=
                !(got[static_cast<std::size_t>(t * n + r)] == code_of<T>(element_held<Target, Destination>(t, r)));
    CHECK(wrong == 0);
    return counted;
}

template <class Target, class T, class A, class B>
void check_both_ways(int threads)
{
    check_redistribute<Target, T, A, B, redistribute_scratch_bytes<Target, T, A, B>>(threads);
    check_redistribute<Target, T, B, A, redistribute_scratch_bytes<Target, T, B, A>>(threads);
}

struct triple
{
    int a, b, c;
    friend bool operator==(const triple&, const triple&) = default;
};

// [2 W, 32], five ways.
template <index_t W>
using rows4 = row_vectors<W, 8, 8, 4>;
template <index_t W>
using columns16 = column_vectors<W, 2, 16>;
/// rows4 with the digits of rows split and the registers in another order.
template <index_t W>
using rows4_reordered = tile_distribution<tile_distribution_encoding<
    sequence<>, tuple<sequence<4, 2, 2, W / 8>, sequence<8, 2, 2>>, tuple<sequence<1>, sequence<1, 2>>,
    tuple<sequence<2>, sequence<3, 0>>, sequence<2, 1, 2, 1>, sequence<2, 1, 1, 0>>>;
/// One copy a wave, columns over the lanes.
template <index_t W>
using in_every_wave = tile_distribution<
    tile_distribution_encoding<sequence<2>, tuple<sequence<64, W / 32>, sequence<32>>, tuple<sequence<0>, sequence<2, 1>>,
                               tuple<sequence<0>, sequence<0, 1>>, sequence<1>, sequence<0>>>;
/// Copies in the lanes and whole columns in registers.
template <index_t W>
using replicated_lanes = tile_distribution<
    tile_distribution_encoding<sequence<W / 32, 2>, tuple<sequence<2 * W>, sequence<8, 4>>,
                               tuple<sequence<0, 2, 0, 2>>, tuple<sequence<0, 0, 1, 1>>, sequence<1>, sequence<0>>>;

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
using line_blocked = tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<2, W, 6>>,
                                                                  tuple<sequence<1>, sequence<1>>,
                                                                  tuple<sequence<0>, sequence<1>>, sequence<1>,
                                                                  sequence<2>>>;
template <index_t W>
using line_cyclic = tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<6, 2, W>>,
                                                                 tuple<sequence<1>, sequence<1>>,
                                                                 tuple<sequence<1>, sequence<2>>, sequence<1>,
                                                                 sequence<0>>>;
template <index_t W>
using cube_a = tile_distribution<tile_distribution_encoding<
    sequence<>, tuple<sequence<3>, sequence<W>, sequence<2, 4>>, tuple<sequence<3>, sequence<2>>,
    tuple<sequence<0>, sequence<0>>, sequence<1, 3>, sequence<0, 1>>>;
template <index_t W>
using cube_b = tile_distribution<tile_distribution_encoding<
    sequence<>, tuple<sequence<3>, sequence<2, W / 8, 4>, sequence<8>>, tuple<sequence<2>, sequence<2, 3>>,
    tuple<sequence<0>, sequence<1, 0>>, sequence<2, 1>, sequence<2, 0>>>;

// Tiles of one wave.
template <index_t W>
using wave_rows = tile_distribution<tile_distribution_encoding<
    sequence<>, tuple<sequence<W>, sequence<8>>, tuple<sequence<1>>, tuple<sequence<0>>, sequence<2>, sequence<0>>>;
template <index_t W>
using wave_patches = tile_distribution<
    tile_distribution_encoding<sequence<>, tuple<sequence<W / 4, 4>, sequence<4, 2>>, tuple<sequence<2, 1>>,
                               tuple<sequence<0, 0>>, sequence<1, 2>, sequence<1, 1>>>;
/// wave_rows by two waves, four columns each.
template <index_t W>
using two_wave_rows = tile_distribution<tile_distribution_encoding<
    sequence<>, tuple<sequence<W>, sequence<2, 4>>, tuple<sequence<2>, sequence<1>>, tuple<sequence<0>, sequence<0>>,
    sequence<2>, sequence<1>>>;

} // namespace

TEMPLATE_TEST_CASE("tiles change their distribution through shared memory", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    check_both_ways<TestType, float, rows4<w>, columns16<w>>(2 * w);
    check_both_ways<TestType, std::uint16_t, rows4<w>, columns16<w>>(2 * w);
    check_both_ways<TestType, std::uint8_t, rows4<w>, columns16<w>>(2 * w);
    check_both_ways<TestType, float, odd_pairs<w>, odd_pairs_other<w>>(3 * w);
    check_both_ways<TestType, triple, cube_a<w>, cube_b<w>>(2 * w);
    check_both_ways<TestType, double, line_blocked<w>, line_cyclic<w>>(2 * w);
}

TEMPLATE_TEST_CASE("of copies one is written and all are read", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    check_both_ways<TestType, float, rows4<w>, in_every_wave<w>>(2 * w);
    check_both_ways<TestType, float, in_every_wave<w>, replicated_lanes<w>>(2 * w);
}

TEMPLATE_TEST_CASE("registers are renamed where every lane has its elements", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    static_assert(!same_lanes<rows4<w>, columns16<w>>);
    static_assert(same_lanes<rows4<w>, rows4_reordered<w>>);
    static_assert(redistribute_scratch_bytes<TestType, float, rows4<w>, rows4_reordered<w>> == 0);
    const auto counted = check_redistribute<TestType, float, rows4<w>, rows4_reordered<w>, 0>(2 * w);
    CHECK(counted.shared_stores == 0);
    CHECK(counted.barriers == 0);
}

TEMPLATE_TEST_CASE("with little scratch memory a tile passes in strips", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    // 128 bytes a row: strips of 5 rows, the last shorter; then of one row.
    const auto counted = check_redistribute<TestType, float, rows4<w>, columns16<w>, 700>(2 * w);
    CHECK(counted.barriers == 2 * 2 * ((2 * w + 4) / 5));
    check_redistribute<TestType, float, rows4<w>, columns16<w>, 128>(2 * w);
    check_redistribute<TestType, float, columns16<w>, rows4<w>, 1024>(2 * w);
    check_redistribute<TestType, double, line_blocked<w>, line_cyclic<w>, 1000>(2 * w);
    check_redistribute<TestType, triple, cube_a<w>, cube_b<w>, w * 8 * 12>(2 * w);
}

TEMPLATE_TEST_CASE("tiles of one wave stay in it", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    constexpr index_t bytes = redistribute_scratch_bytes<TestType, float, wave_rows<w>, wave_patches<w>>;
    const auto counted = check_redistribute<TestType, float, wave_rows<w>, wave_patches<w>, bytes>(3 * w, true);
    CHECK(counted.barriers == 0);
    check_both_ways<TestType, float, wave_rows<w>, two_wave_rows<w>>(2 * w);
}

TEST_CASE("the layout in shared memory is free of conflicts where it can be", "[tensor]")
{
    constexpr index_t bytes = redistribute_scratch_bytes<arch::sm_80, float, row_vectors<32, 8, 8, 4>, columns16<32>>;
    const auto counted =
        check_redistribute<arch::sm_80, float, row_vectors<32, 8, 8, 4>, columns16<32>, bytes>(64);
    CHECK(counted.shared_store_conflicts == 0);
    CHECK(counted.shared_load_conflicts == 0);
}
