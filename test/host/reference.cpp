// The reference GEMM against direct sums in long double and Eigen, its epilogue, the integer form, and random data.

#include <tegula/reference/gemm.hpp>
#include <tegula/reference/random.hpp>

#include "test/catch.hpp"

#if __has_include(<Eigen/Dense>)
#include <Eigen/Dense>
#elif __has_include(<eigen3/Eigen/Dense>)
#include <eigen3/Eigen/Dense>
#endif

#include <algorithm>
#include <limits>

using namespace tegula;

namespace {

template <class T>
std::vector<T> random_values(long_index_t count, std::uint64_t seed)
{
    std::vector<T> values(static_cast<std::size_t>(count));
    fill_normal(std::span(values), seed);
    return values;
}

constexpr struct
{
    long_index_t m, n, k, batch;
} shapes[] = {{1, 1, 1, 1},       {3, 5, 7, 2},     {4, 4, 4, 1},   {128, 128, 128, 1},
              {129, 127, 131, 1}, {1, 300, 257, 2}, {300, 1, 5, 3}, {260, 140, 1, 1}};

template <class T>
void check_against_direct_sums(bool a_column_major, bool b_column_major)
{
    for (const auto& s : shapes) {
        INFO(s.m << " x " << s.n << " x " << s.k << " batch " << s.batch);
        const auto a = random_values<T>(s.batch * s.m * s.k, 1), b = random_values<T>(s.batch * s.k * s.n, 2);
        const auto c = random_values<float>(s.batch * s.m * s.n, 3), bias = random_values<float>(s.n, 4);
        reference_gemm_problem<T, T> p{.m = s.m, .n = s.n, .k = s.k, .batch = s.batch};
        p.a = a_column_major ? column_major(a.data(), s.m, s.k) : row_major(a.data(), s.m, s.k);
        p.b = b_column_major ? column_major(b.data(), s.k, s.n) : row_major(b.data(), s.k, s.n);
        p.alpha = 1.5;
        p.beta = -0.5;
        p.c = row_major(c.data(), s.m, s.n);
        p.bias = bias.data();
        const reference_gemm_result result = reference_gemm(p);

        double worst = 0, worst_magnitude = 0;
        for (long_index_t x = 0, index = 0; x < s.batch; ++x)
            for (long_index_t i = 0; i < s.m; ++i)
                for (long_index_t j = 0; j < s.n; ++j, ++index) {
                    long double sum = 0, magnitude = 0;
                    for (long_index_t k = 0; k < s.k; ++k) {
                        const auto a_element = a[x * s.m * s.k + (a_column_major ? k * s.m + i : i * s.k + k)];
                        const auto b_element = b[x * s.k * s.n + (b_column_major ? j * s.k + k : k * s.n + j)];
                        const long double product = static_cast<double>(a_element) * static_cast<double>(b_element);
                        sum += product;
                        magnitude += std::fabs(product);
                    }
                    const long double source = -0.5L * c[index], offset = bias[j];
                    const long double expected = 1.5L * sum + source + offset;
                    const long double scale = 1.5L * magnitude + std::fabs(source) + std::fabs(offset);
                    const auto error = static_cast<double>(std::fabs(result.values[index] - expected) / scale);
                    worst = std::max(worst, error);
                    worst_magnitude =
                        std::max(worst_magnitude, static_cast<double>(std::fabs(result.magnitudes[index] / scale - 1)));
                }
        REQUIRE(worst < 1e-14);
        REQUIRE(worst_magnitude < 1e-13);
    }
}

} // namespace

TEST_CASE("the reference equals sums in long double", "[host]")
{
    check_against_direct_sums<float>(false, false);
    check_against_direct_sums<half>(true, false);
    check_against_direct_sums<bfloat16>(false, true);
    check_against_direct_sums<float8_e4m3_fnuz>(true, true);
}

#if defined(EIGEN_WORLD_VERSION)
TEST_CASE("the reference equals Eigen", "[host]")
{
    for (const auto& s : shapes) {
        INFO(s.m << " x " << s.n << " x " << s.k);
        const auto a = random_values<float>(s.m * s.k, 1), b = random_values<float>(s.k * s.n, 2);
        using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic>;
        const Eigen::MatrixXd product = Eigen::Map<const matrix>(a.data(), s.m, s.k).cast<double>() *
                                        Eigen::Map<const matrix>(b.data(), s.k, s.n).cast<double>();
        reference_gemm_problem<float, float> p{.m = s.m, .n = s.n, .k = s.k};
        p.a = column_major(a.data(), s.m, s.k);
        p.b = column_major(b.data(), s.k, s.n);
        const auto result = reference_gemm(p);
        double worst = 0;
        for (long_index_t i = 0, index = 0; i < s.m; ++i)
            for (long_index_t j = 0; j < s.n; ++j, ++index)
                worst = std::max(worst, std::fabs(result.values[index] - product(i, j)) / result.magnitudes[index]);
        REQUIRE(worst < 1e-14);
    }
}
#endif

TEST_CASE("activations", "[host]")
{
    using enum tegula::activation;
    const double infinity = std::numeric_limits<double>::infinity();
    REQUIRE(apply(none, -2) == -2);
    REQUIRE(apply(relu, -2) == 0);
    REQUIRE(apply(relu, 2) == 2);
    // Values of x Phi(x) and x / (1 + exp(-x)) from tables of the normal distribution and the logistic function.
    REQUIRE(apply(gelu, 1) == Approx(0.8413447460685429));
    REQUIRE(apply(gelu, -1) == Approx(-0.15865525393145707));
    REQUIRE(apply(gelu, -10) == Approx(-7.619853024160489e-23));
    REQUIRE(apply(silu, 1) == Approx(0.7310585786300049));
    REQUIRE(apply(silu, -2) == Approx(-0.2384058440442351));
    for (tegula::activation activation : {none, relu, gelu, silu}) {
        REQUIRE(apply(activation, 0) == 0);
        REQUIRE(apply(activation, infinity) == infinity);
        REQUIRE(apply(activation, -infinity) == (activation == none ? -infinity : 0));
        REQUIRE(std::isnan(apply(activation, std::nan(""))));
    }
}

TEST_CASE("what is multiplied by zero is not read", "[host]")
{
    const std::vector<float> poison(6, std::nanf("")), bias{1, 2, 3};
    reference_gemm_problem<float, float> p{.m = 2, .n = 3, .k = 1};
    p.a = row_major(poison.data(), 2, 1);
    p.b = row_major(poison.data(), 1, 3);
    p.c = row_major(poison.data(), 2, 3);
    p.bias = bias.data();
    p.alpha = 0;
    REQUIRE(reference_gemm(p).values == std::vector<double>{1, 2, 3, 1, 2, 3});
    p.alpha = 1;
    p.k = 0;
    REQUIRE(reference_gemm(p).values == std::vector<double>{1, 2, 3, 1, 2, 3});
    p.k = 1;
    REQUIRE(std::isnan(reference_gemm(p).values[0]));
    p.m = 0;
    REQUIRE(reference_gemm(p).values.empty());
}

TEST_CASE("the integer reference is exact and wraps as 32-bit accumulators do", "[host]")
{
    for (const auto& s : shapes) {
        std::vector<std::int8_t> a(static_cast<std::size_t>(s.batch * s.m * s.k));
        std::vector<std::uint8_t> b(static_cast<std::size_t>(s.batch * s.k * s.n));
        fill_integers(std::span(a), 1, -128, 127);
        fill_integers(std::span(b), 2, 0, 255);
        reference_gemm_problem<std::int8_t, std::uint8_t> p{.m = s.m, .n = s.n, .k = s.k, .batch = s.batch};
        p.a = row_major(a.data(), s.m, s.k);
        p.b = row_major(b.data(), s.k, s.n);
        const auto result = reference_integer_gemm(p);
        long wrong = 0;
        for (long_index_t x = 0, index = 0; x < s.batch; ++x)
            for (long_index_t i = 0; i < s.m; ++i)
                for (long_index_t j = 0; j < s.n; ++j, ++index) {
                    std::int32_t sum = 0;
                    for (long_index_t k = 0; k < s.k; ++k)
                        sum += a[(x * s.m + i) * s.k + k] * b[(x * s.k + k) * s.n + j];
                    wrong += sum != result[index];
                }
        REQUIRE(wrong == 0);
    }
    const std::int8_t least = -128;
    reference_gemm_problem<std::int8_t, std::int8_t> p{.m = 1, .n = 1, .k = 131072, .a = {&least}, .b = {&least}};
    REQUIRE(reference_integer_gemm(p)[0] == std::numeric_limits<std::int32_t>::min()); // 2^31
    p.k = 131071;
    REQUIRE(reference_integer_gemm(p)[0] == 131071 * 16384);
}

TEST_CASE("random data is the same everywhere", "[host]")
{
    // From a second implementation, in Python, whose xoshiro256++ begins 41943041, 58720359 with the state {1, 2, 3, 4}
    // and whose splitmix64 begins e220a8397b1dcdaf with the seed 0, as their authors publish.
    random_source random(0);
    REQUIRE(random.next() == 0x53175d61490b23dfull);
    REQUIRE(random.next() == 0x61da6f3dc380d507ull);
    REQUIRE(random.next() == 0x5c0fdf91ec9a7bfcull);

    random_source source(7);
    double sum = 0, squares = 0, least = 1, greatest = 0;
    constexpr int count = 200000;
    for (int i = 0; i < count; ++i) {
        const double x = source.normal(), u = source.uniform();
        sum += x;
        squares += x * x;
        least = std::min(least, u);
        greatest = std::max(greatest, u);
    }
    REQUIRE(std::fabs(sum / count) < 0.01);
    REQUIRE(std::fabs(squares / count - 1) < 0.01);
    REQUIRE((least >= 0 && least < 1e-4));
    REQUIRE((greatest < 1 && greatest > 1 - 1e-4));

    int seen[7] = {};
    for (int i = 0; i < 70000; ++i)
        ++seen[source.integer(-3, 3) + 3];
    for (int n : seen)
        REQUIRE(std::abs(n - 10000) < 500);

    std::vector<half> first(100), second(100), other(100);
    fill_uniform(std::span(first), 5, -2, 2);
    fill_uniform(std::span(second), 5, -2, 2);
    fill_uniform(std::span(other), 6, -2, 2);
    REQUIRE(first == second);
    REQUIRE_FALSE(first == other);
    std::vector<std::int8_t> integers(100);
    fill_normal(std::span(integers), 5, 0, 1000);
    REQUIRE(*std::min_element(integers.begin(), integers.end()) == -128);
    REQUIRE(*std::max_element(integers.begin(), integers.end()) == 127);
}
