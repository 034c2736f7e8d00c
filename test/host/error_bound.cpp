// The error bound holds for every order of summation tried, is not far above what is seen, and catches one wrong
// product.

#include <tegula/reference/error_bound.hpp>
#include <tegula/reference/random.hpp>

#include "test/catch.hpp"

#include <algorithm>

using namespace tegula;

namespace {

constexpr float float_infinity = std::numeric_limits<float>::infinity();

float apply_in_float(tegula::activation activation, float x)
{
    switch (activation) {
    case tegula::activation::relu:
        return std::fmax(x, 0.f);
    case tegula::activation::gelu:
        return 0.5f * x * (1.f + std::erf(x * 0.70710678f));
    case tegula::activation::silu:
        return x / (1.f + std::exp(-x));
    case tegula::activation::none:
        break;
    }
    return x;
}

enum class summation { forward, backward, pairs };

/// The result that a kernel might have: the whole computation in float.
template <class Problem>
std::vector<float> computed(const Problem& p, summation order)
{
    std::vector<float> result;
    std::vector<float> terms(static_cast<std::size_t>(p.k));
    for (long_index_t i = 0; i < p.m; ++i)
        for (long_index_t j = 0; j < p.n; ++j) {
            for (long_index_t k = 0; k < p.k; ++k)
                terms[k] = static_cast<float>(p.a(0, i, k)) * static_cast<float>(p.b(0, k, j));
            if (order == summation::backward)
                std::reverse(terms.begin(), terms.end());
            float sum = 0;
            if (order == summation::pairs) {
                auto level = terms;
                for (; level.size() > 1; level.resize((level.size() + 1) / 2))
                    for (std::size_t x = 0; x < level.size(); x += 2)
                        level[x / 2] = x + 1 < level.size() ? level[x] + level[x + 1] : level[x];
                sum = level.empty() ? 0 : level[0];
            } else {
                for (float term : terms)
                    sum += term;
            }
            const float before =
                static_cast<float>(p.alpha) * sum + static_cast<float>(p.beta) * p.c(0, i, j) + p.bias[j];
            result.push_back(apply_in_float(p.activation, before));
        }
    return result;
}

template <class T>
std::vector<T> stored(const std::vector<float>& values)
{
    std::vector<T> result;
    for (float value : values)
        result.push_back(convert<T>(value));
    return result;
}

/// A product with everything an epilogue can add.
template <class T>
struct sample
{
    sample(long_index_t m, long_index_t n, long_index_t k, tegula::activation activation)
        : a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n)), c(static_cast<std::size_t>(m * n)),
          bias(static_cast<std::size_t>(n))
    {
        fill_normal(std::span(a), 1);
        fill_normal(std::span(b), 2);
        fill_normal(std::span(c), 3);
        fill_normal(std::span(bias), 4);
        problem = {.m = m, .n = n, .k = k, .a = row_major(a.data(), m, k), .b = row_major(b.data(), k, n)};
        problem.alpha = 0.7f;
        problem.beta = -1.3f;
        problem.c = row_major(c.data(), m, n);
        problem.bias = bias.data();
        problem.activation = activation;
    }

    std::vector<T> a, b;
    std::vector<float> c, bias;
    reference_gemm_problem<T, T> problem;
};

template <class Output>
error_report report_of(double result, double value, double magnitude)
{
    const reference_gemm_problem<float, float> p{.m = 1, .n = 1, .k = 1};
    const auto out = static_cast<Output>(result);
    return verify_gemm<Output>(p, {&out}, {{value}, {magnitude}});
}

} // namespace

TEMPLATE_TEST_CASE("float sums in any order pass, a wrong product does not", "[host]", half, bfloat16, float8_e4m3)
{
    const auto activation = GENERATE(tegula::activation::none, tegula::activation::relu, tegula::activation::gelu,
                                     tegula::activation::silu);
    for (long_index_t k : {1, 2, 17, 256, 1000}) {
        const sample<TestType> s(9, 11, k, activation);
        auto reference = reference_gemm(s.problem);
        for (summation order : {summation::forward, summation::backward, summation::pairs}) {
            const auto result = computed(s.problem, order);
            INFO("k " << k << " order " << static_cast<int>(order) << " activation " << static_cast<int>(activation));
            const auto report = verify_gemm(s.problem, row_major(result.data(), 9, 11), reference);
            REQUIRE(report.passed);
            REQUIRE(report.worst_ratio <= 1);
            REQUIRE(report.worst_ratio * static_cast<double>(k + 4) > 0.02); // the bound is not needlessly large
            REQUIRE(report.max_abs_error < 1e-3);

            const auto halves = stored<half>(result);
            REQUIRE(verify_gemm(s.problem, row_major(halves.data(), 9, 11), reference).passed);
            const auto bytes = stored<float8_e5m2>(result);
            REQUIRE(verify_gemm(s.problem, row_major(bytes.data(), 9, 11), reference).passed);
            // Rounded to fewer bits than the bound is told of: refused, while k leaves that much room.
            std::vector<float> rough;
            for (half x : halves)
                rough.push_back(static_cast<float>(x));
            const auto refused = verify_gemm(s.problem, row_major(rough.data(), 9, 11), reference);
            REQUIRE(refused.passed == (k > 256));
        }
        if (activation == tegula::activation::none) {
            auto result = computed(s.problem, summation::forward);
            const auto product =
                static_cast<float>(s.problem.a(0, 4, k - 1)) * static_cast<float>(s.problem.b(0, k - 1, 5));
            result[4 * 11 + 5] -= 0.7f * product;
            const auto report = verify_gemm(s.problem, row_major(result.data(), 9, 11), reference);
            REQUIRE_FALSE(report.passed);
            REQUIRE(report.worst_index == 4 * 11 + 5);
            REQUIRE(report.max_abs_error == Approx(std::fabs(0.7 * product)).epsilon(1e-2));
        }
    }
}

TEST_CASE("the bound by hand", "[host]")
{
    using enum tegula::activation;
    const double u = 0x1p-24;
    const double gamma = 14 * u / (1 - 14 * u);
    REQUIRE(gemm_error_bound<float>({.k = 10}, 3, 5) == Approx(gamma * 5).epsilon(1e-12));
    REQUIRE(gemm_error_bound<float>({.k = 10, .activation = relu}, 3, 5) == Approx(gamma * 5).epsilon(1e-12));
    REQUIRE(gemm_error_bound<float>({.k = 10, .activation = gelu}, 3, 5) ==
            Approx(1.13 * gamma * 5 + 16 * u * 5).epsilon(1e-12));
    REQUIRE(gemm_error_bound<float>({.k = 10, .unit = float_truncation_unit}, 3, 5) ==
            Approx(2 * gamma * 5).epsilon(1e-5));
    REQUIRE(gemm_error_bound<half>({.k = 10}, 3, 5) == Approx(gamma * 5 + 3 * 0x1p-11).epsilon(1e-3));
    REQUIRE(gemm_error_bound<float8_e4m3>({.k = 10}, 0, 0) == Approx(0x1p-10));
    REQUIRE(gemm_error_bound<float>({.k = 10}, 0, 0) < 1e-36);
    REQUIRE(gemm_error_bound<float>({.k = 1 << 24}, 0, 1) == std::numeric_limits<double>::infinity());

    // The slopes of the activations stay below the constants used.
    for (tegula::activation activation : {none, relu, gelu, silu}) {
        double steepest = 0;
        for (double x = -8; x < 8; x += 1e-3)
            steepest = std::max(steepest, (apply(activation, x + 1e-3) - apply(activation, x)) / 1e-3);
        REQUIRE(steepest <= lipschitz_constant(activation) + 1e-9);
        REQUIRE(steepest > lipschitz_constant(activation) - 0.01);
    }
}

TEST_CASE("results that are not finite", "[host]")
{
    const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
    REQUIRE(report_of<float>(nan, nan, nan).passed);
    REQUIRE(report_of<float>(infinity, infinity, infinity).passed);
    REQUIRE(report_of<float>(infinity, 1e300, 1e300).passed);
    REQUIRE(report_of<half>(infinity, 1e5, 1e5).passed);
    REQUIRE(report_of<float8_e4m3>(448, 1e5, 1e5).passed);
    REQUIRE(report_of<float8_e4m3>(-448, -infinity, infinity).passed);
    REQUIRE(report_of<float>(nan, 5, 1e39).passed); // infinities on the way
    for (const auto& report :
         {report_of<float>(nan, 1, 1), report_of<float>(1, nan, nan), report_of<float>(infinity, 1, 1),
          report_of<float>(1, infinity, infinity), report_of<float>(-infinity, infinity, infinity),
          report_of<half>(-infinity, 1e5, 1e5), report_of<half>(infinity, 6e4, 6e4),
          report_of<half>(infinity, 65510, 1), report_of<bfloat16>(infinity, 0x1.fep127, 1)}) {
        REQUIRE_FALSE(report.passed);
        REQUIRE(report.worst_index == 0);
    }
    REQUIRE(report_of<float>(float_infinity, 1, 1).max_abs_error == infinity);
    REQUIRE(report_of<half>(infinity, 65520, 1).passed); // half a unit past the largest
    REQUIRE(report_of<half>(65504, 65519, 1).passed);
    const reference_gemm_problem<float, float> long_sum{
        .m = 1, .n = 1, .k = 1 << 24}; // of which the bound says nothing
    REQUIRE_FALSE(verify_gemm<float>(long_sum, {&float_infinity}, {{1}, {1}}).passed);
}

TEST_CASE("integers must be equal", "[host]")
{
    const std::vector<std::int8_t> a{1, 2, 3, 4}, b{5, 6, 7, 8};
    const reference_gemm_problem<std::int8_t, std::int8_t> p{
        .m = 2, .n = 2, .k = 2, .a = row_major(a.data(), 2, 2), .b = row_major(b.data(), 2, 2)};
    const auto reference = reference_integer_gemm(p);
    std::vector<std::int32_t> result{19, 22, 43, 50};
    REQUIRE(verify_integer_gemm(p, row_major(result.data(), 2, 2), reference).passed);
    result[2] = 44;
    const auto report = verify_integer_gemm(p, row_major(result.data(), 2, 2), reference);
    REQUIRE_FALSE(report.passed);
    REQUIRE(report.max_abs_error == 1);
    REQUIRE(report.worst_index == 2);
}
