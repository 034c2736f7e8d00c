#pragma once

/// Products of tiles of random distributions by matrix instructions, against plain loops.

#include "test/conversion/conversion_pairs.hpp"
#include "test/tensor/host_tile.hpp"

#include <tegula/mma/contract.hpp>

namespace tegula::test {

inline float small_number(long flat) { return static_cast<float>(mixed(flat) % 7) - 3.0f; }

/// [Rows, Columns] of one wave: lanes along what is a power of two of the rows, copies in the others.
template <index_t Wave, index_t Rows, index_t Columns, index_t Lanes = power_of_two_divisor(Rows, Wave)>
using down_the_rows = tile_distribution<
    tile_distribution_encoding<sequence<Wave / Lanes>, tuple<sequence<Lanes, Rows / Lanes>, sequence<Columns>>,
                               tuple<sequence<0, 1>>, tuple<sequence<0, 0>>, sequence<1, 2>, sequence<1, 0>>>;

/// The transpose of a distribution of two dimensions.
template <class Distribution>
using transposed = tile_distribution<transpose_encoding<typename Distribution::encoding, sequence<1, 0>>>;

/// A pair of distributions of a tile of two dimensions.
template <class Target, int Seed>
struct random_matrices
{
    static constexpr conversion_pairs::encoding_pair pair =
        conversion_pairs::generator(Seed, 2).pair(Target::wave_size);
    static_assert(pair.source.num_x() == 2);
    struct first
    {
        static constexpr encoding_value raw = pair.source;
    };
    struct second
    {
        static constexpr encoding_value raw = pair.destination;
    };
};

template <class Target, class T, class A, class B, class C>
void check_product()
{
    using left = distributed_tensor<T, A>;
    using right = distributed_tensor<T, B>;
    using product = distributed_tensor<float, C>;
    constexpr int threads = Target::wave_size * detail::waves_of<Target, A, B, C>();
    constexpr long m = C::x_length(0), n = C::x_length(1), k = A::x_length(1);
    CAPTURE(m, n, k, threads);
    result_of<Target, float, C> results(threads);
    const auto of_b = [](long flat) { return small_number(flat + 999); };
    run_on<Target>(threads, contract_scratch_bytes<Target, product, left, right>, {}, [&] {
        auto c = tile_of<Target, C, float>([](long flat) { return static_cast<float>(flat % 5); });
        const auto a = cast<T>(tile_of<Target, A, float>(small_number));
        const auto b = cast<T>(tile_of<Target, B, float>(of_b));
        contract<Target>(c, a, b, Target::shared_memory());
        results.keep(c);
    });
    CHECK(results.wrong(host_of<C, float>([&](long flat) {
        float sum = static_cast<float>(flat % 5);
        for (long i = 0; i < k; ++i)
            sum += small_number(flat / n * k + i) * of_b(i * n + flat % n);
        return sum;
    })) == 0);
}

/// A random A [m, k] times the transpose of another, [k, m].
template <class Target, class T, int Seed>
void check_random_factors()
{
    using tiles = random_matrices<Target, Seed>;
    using a = tile_distribution<encoding_from<typename tiles::first>>;
    using b = transposed<tile_distribution<encoding_from<typename tiles::second>>>;
    constexpr index_t m = a::x_length(0);
    INFO("seed " << Seed);
    check_product<Target, T, a, b, down_the_rows<Target::wave_size, m, m>>();
}

/// A random C; k is no whole instruction.
template <class Target, class T, int Seed>
void check_random_result()
{
    using c = tile_distribution<encoding_from<typename random_matrices<Target, Seed>::first>>;
    constexpr index_t w = Target::wave_size, m = c::x_length(0), n = c::x_length(1);
    INFO("seed " << Seed);
    check_product<Target, T, down_the_rows<w, m, 9>, transposed<down_the_rows<w, n, 9>>, c>();
}

} // namespace tegula::test
