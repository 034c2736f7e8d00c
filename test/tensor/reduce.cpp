// Reductions over tensor dimensions against host loops: in registers, between lanes, between waves.
#include "support.hpp"

namespace {

/// A number without pattern for element x of a tile.
template <int N>
int number_at(const multi_index<N>& x)
{
    unsigned h = 17;
    for (int i = 0; i < N; ++i)
        h = (h ^ static_cast<unsigned>(x[i] + 1)) * 2654435761u;
    return static_cast<int>(h >> 20) - 2048;
}

/// Where the results of a reduced tile of up to 3 dimensions are kept on the host.
template <int N>
long place_of(const multi_index<N>& x)
{
    long at = 0;
    for (int i = 0; i < N; ++i)
        at = at * 1024 + x[i];
    return at;
}

template <index_t... Dims, int N>
long place_without(const multi_index<N>& x)
{
    long at = 0;
    for (int i = 0; i < N; ++i)
        if (!make_dim_set(Dims...).contains(i))
            at = at * 1024 + x[i];
    return at;
}

/// Reduces a tile of numbers and compares what every thread got, replicas included, with a loop over the tile.
template <class Target, class Distribution, index_t... Dims, class Make, class Op>
void check_reduce(int threads, const Make& make, const Op& op)
{
    using T = decltype(make(multi_index<Distribution::num_x>{}));
    using result = reduced_distribution<Distribution, Dims...>;
    constexpr int n = result::num_registers;
    constexpr index_t scratch = reduce_scratch_bytes<Target, T, Distribution, Dims...>;
    std::vector<T> got(static_cast<std::size_t>(threads) * n);
    run_on<Target>(threads, scratch, {}, [&] {
        distributed_tensor<T, Distribution> tile;
        sweep<Target>(tile, [&](T& element, const auto& x) { element = make(x); });
        distributed_tensor<T, result> reduced;
        if constexpr (scratch == 0)
            reduced = reduce<Target, Dims...>(tile, op);
        else
            reduced = reduce<Target, Dims...>(tile, op, Target::shared_memory());
        for (int r = 0; r < n; ++r)
            got[static_cast<std::size_t>(Target::thread_id() * n + r)] = reduced[r];
    });

    std::vector<std::pair<long, T>> expected;
    for_each_index<Distribution>([&](const auto& x) {
        const long place = place_without<Dims...>(x);
        for (auto& known : expected)
            if (known.first == place) {
                known.second = op(known.second, make(x));
                return;
            }
        expected.push_back({place, make(x)});
    });
    int wrong = 0, missing = 0;
    for (int t = 0; t < threads; ++t)
        for (int r = 0; r < n; ++r) {
            const auto x = element_held<Target, result>(t, r);
            bool found = false;
            for (const auto& known : expected)
                if (known.first == place_of(x)) {
                    found = true;
                    wrong += !(known.second == got[static_cast<std::size_t>(t * n + r)]);
                }
            missing += !found;
        }
    CHECK(missing == 0);
    CHECK(wrong == 0);
}

constexpr auto sum = [](auto a, auto b) { return a + b; };
constexpr auto integers = [](const auto& x) { return number_at(x); };

// Distributions, W lanes a wave.

template <index_t W>
using one_wave = tile_distribution<
    tile_distribution_encoding<sequence<>, tuple<sequence<3, W / 8>, sequence<2, 8, 2>>, tuple<sequence<2, 1>>,
                               tuple<sequence<1, 1>>, sequence<2, 1, 2>, sequence<2, 0, 0>>>;
/// One digit of 3 W threads along the rows.
template <index_t W>
using long_digit =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<5>, sequence<3 * W>>, tuple<sequence<2>>,
                                                 tuple<sequence<0>>, sequence<1>, sequence<0>>>;
/// Neighbouring threads hold three columns: groups of three lie across the wave boundary.
template <index_t W>
using threes = tile_distribution<
    tile_distribution_encoding<sequence<>, tuple<sequence<W, 2>, sequence<2, 3>>, tuple<sequence<1, 2>>,
                               tuple<sequence<0, 1>>, sequence<2, 1>, sequence<0, 1>>>;
/// Six along the rows, of which two stay inside a wave.
template <index_t W>
using sixes =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<W / 2>, sequence<6>>, tuple<sequence<1, 2>>,
                                                 tuple<sequence<0, 0>>, sequence<>, sequence<>>>;
/// Two copies in the lanes and three in the waves, around digits of both dimensions.
template <index_t W>
using replicated =
    tile_distribution<tile_distribution_encoding<sequence<3, 2>, tuple<sequence<2, W / 8>, sequence<4, 3>>,
                                                 tuple<sequence<1, 0>, sequence<1, 0, 2>>,
                                                 tuple<sequence<0, 0>, sequence<1, 1, 0>>, sequence<2>, sequence<1>>>;
/// Three dimensions.
template <index_t W>
using deep =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<2, 3>, sequence<W / 4, 2>, sequence<4>>,
                                                 tuple<sequence<1>, sequence<2, 3>>, tuple<sequence<0>, sequence<0, 0>>,
                                                 sequence<1, 2>, sequence<1, 1>>>;

struct best
{
    float value;
    int index;
    friend bool operator==(const best&, const best&) = default;
};
struct wide // 12 bytes, which no single instruction moves
{
    int a, b, c;
    friend bool operator==(const wide&, const wide&) = default;
};

} // namespace

TEMPLATE_TEST_CASE("reductions inside a wave need no memory", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    static_assert(reduce_scratch_bytes<TestType, int, one_wave<w>, 0, 1> == 0);
    check_reduce<TestType, one_wave<w>, 0>(w, integers, sum);
    check_reduce<TestType, one_wave<w>, 1>(w, integers, sum);
    check_reduce<TestType, one_wave<w>, 0, 1>(3 * w, integers, sum); // every wave for itself
    check_reduce<TestType, row_vectors<w, 3, 16, 4>, 1>(2 * w, integers, sum);
}

TEMPLATE_TEST_CASE("reductions between waves pass through shared memory", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    check_reduce<TestType, row_vectors<w, 3, 16, 4>, 0>(2 * w, integers, sum);
    check_reduce<TestType, row_vectors<w, 3, 16, 4>, 0, 1>(2 * w, integers, sum);
    check_reduce<TestType, column_vectors<w, 2, 3>, 1>(2 * w, integers, sum);
    check_reduce<TestType, deep<w>, 0, 2>(2 * w, integers, sum);
    check_reduce<TestType, deep<w>, 1>(2 * w, integers, sum);
}

TEMPLATE_TEST_CASE("digits of the thread index may lie across waves", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    check_reduce<TestType, long_digit<w>, 1>(3 * w, integers, sum);
    check_reduce<TestType, threes<w>, 1>(3 * w, integers, sum);
    check_reduce<TestType, threes<w>, 0>(3 * w, integers, sum);
    check_reduce<TestType, sixes<w>, 1>(3 * w, integers, sum);
    check_reduce<TestType, sixes<w>, 0, 1>(3 * w, integers, sum);
}

TEMPLATE_TEST_CASE("copies of an element count once", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    check_reduce<TestType, replicated<w>, 0>(6 * w, integers, sum);
    check_reduce<TestType, replicated<w>, 1>(6 * w, integers, sum);
    check_reduce<TestType, replicated<w>, 0, 1>(6 * w, integers, sum);
}

TEMPLATE_TEST_CASE("any trivially copyable type reduces", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    const auto numbered = [](const multi_index<2>& x) {
        return best{static_cast<float>(number_at(x) / 64), x[0] * 1000 + x[1]};
    };
    const auto larger = [](const best& a, const best& b) {
        return a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b;
    };
    check_reduce<TestType, row_vectors<w, 3, 16, 4>, 1>(2 * w, numbered, larger);
    check_reduce<TestType, threes<w>, 0, 1>(3 * w, numbered, larger);
    const auto triple = [](const multi_index<2>& x) { return wide{number_at(x), x[0], -x[1]}; };
    const auto add = [](const wide& a, const wide& b) { return wide{a.a + b.a, a.b + b.b, a.c + b.c}; };
    check_reduce<TestType, row_vectors<w, 3, 16, 4>, 0>(2 * w, triple, add);
}

TEMPLATE_TEST_CASE("all replicas of a rounded sum have the same bits", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    using distribution = row_vectors<w, 3, 16, 4>;
    constexpr index_t scratch = reduce_scratch_bytes<TestType, float, distribution, 0, 1>;
    std::vector<float> got(2 * w);
    // Neither associative nor commutative, so that every difference in order shows.
    const auto op = [](float a, float b) { return a * 0.75f + b / 3.0f; };
    run_on<TestType>(2 * w, scratch, {}, [&] {
        distributed_tensor<float, distribution> tile;
        sweep<TestType>(tile, [&](float& e, const auto& x) { e = static_cast<float>(number_at(x)); });
        const auto total = reduce<TestType, 0, 1>(tile, op, TestType::shared_memory());
        got[static_cast<std::size_t>(TestType::thread_id())] = total[0];
    });
    CHECK(got[0] != 0.0f);
    for (float value : got)
        REQUIRE(value == got[0]);
}

TEST_CASE("scratch memory is free again after a reduction", "[tensor]")
{
    using target = arch::gfx942;
    using distribution = row_vectors<64, 3, 16, 4>;
    constexpr index_t scratch = reduce_scratch_bytes<target, int, distribution, 0>;
    static_assert(scratch == 2 * 4 * 16 * 4); // waves x registers x places x bytes
    std::vector<int> got(128);
    const emulator::counters counted = run_on<target>(128, scratch, {}, [&] {
        auto tile = make_distributed_tensor<int, distribution>(1);
        int total = 0;
        for (int i = 0; i < 3; ++i)
            total += reduce<target, 0>(tile, sum, target::shared_memory())[0];
        got[static_cast<std::size_t>(target::thread_id())] = total;
    });
    CHECK(counted.barriers == 6);
    CHECK(got[77] == 3 * 24);
}
