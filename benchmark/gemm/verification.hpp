#pragma once

// Whether a measured product is right: all of it against a plain product that the GPU computes in 64-bit arithmetic,
// and some elements against sums of the host, which knows the matrices by their seeds.

#include "problem.hpp"
#include "random_element.hpp"

#include <tegula/reference/product_check.hpp>
#include <tegula/reference/random.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace gemm_benchmark {

/// Seeds of the matrices of set `number`.
constexpr std::uint64_t seed_of_a(int number) { return 2 * static_cast<std::uint64_t>(number) + 1; }
constexpr std::uint64_t seed_of_b(int number) { return 2 * static_cast<std::uint64_t>(number) + 2; }

/// An element of D and what it should be.
struct sample
{
    long_index_t row = 0, column = 0;
    double exact = 0;
};

/// Element (row, column) of the product of set `number`, summed in 64-bit arithmetic.
template <class T>
double exact_element(const shape& s, layout l, int number, long_index_t row, long_index_t column)
{
    double sum = 0;
    for (long_index_t i = 0; i < s.k; ++i) {
        const long_index_t a = a_by_rows(l) ? row * s.k + i : i * s.m + row;
        const long_index_t b = b_by_rows(l) ? i * s.n + column : column * s.k + i;
        sum += static_cast<double>(random_element<T>(seed_of_a(number), static_cast<std::uint64_t>(a))) *
               static_cast<double>(random_element<T>(seed_of_b(number), static_cast<std::uint64_t>(b)));
    }
    return sum;
}

/// `count` random elements of the product of set 0, always the same ones; the four corners are the first.
inline std::vector<sample> choose_samples(const shape& s, element type, layout l, int count = 256)
{
    std::vector<sample> samples{{0, 0}, {s.m - 1, 0}, {0, s.n - 1}, {s.m - 1, s.n - 1}};
    tegula::random_source random(7);
    while (static_cast<int>(samples.size()) < count)
        samples.push_back({random.integer(0, s.m - 1), random.integer(0, s.n - 1)});
    with_type(type, [&](auto tag) {
        for (sample& x : samples)
            x.exact = exact_element<typename decltype(tag)::type>(s, l, 0, x.row, x.column);
    });
    return samples;
}

/// How far an element may be from the exact sum of k products of random numbers uniform in [-1, 1).
///
/// Storing it costs half a unit in the last place. Before that, the partial sum is cut off at its unit u, k times. The
/// size of a sum of i products is about sqrt(2 / pi) sqrt(i) / 3. If all errors go the same way, they make
/// 0.18 u k^1.5 together. Four times that is allowed. u is 2^-23, and 2^-13 for fp8: NVIDIA's instructions keep its
/// sums with 13 bits behind the point, 32 products at a time.
inline double allowed_sum_error(element type, long_index_t k)
{
    const double terms = static_cast<double>(k);
    const double unit = is_fp8(type) ? 0x1p-13 / 32 : tegula::float_truncation_unit;
    return 4 * 0.18 * unit * terms * std::sqrt(terms);
}

/// How far an element as it is stored may be from the exact sum.
inline double allowed_error(element type, long_index_t k, double exact)
{
    const double storing = with_type(output_of(type), [&](auto tag) {
        return tegula::gemm_error_bound<typename decltype(tag)::type>({}, exact, 0);
    });
    return storing + allowed_sum_error(type, k);
}

/// The result of the comparisons.
struct verdict
{
    double max_error = 0;
    bool passed = true;

    void add(element type, long_index_t k, double computed, double exact)
    {
        const double error =
            std::isfinite(computed) ? std::fabs(computed - exact) : std::numeric_limits<double>::infinity();
        max_error = std::max(max_error, error);
        passed = passed && error <= allowed_error(type, k, exact);
    }
    /// Adds the comparison of a whole product of `elements`.
    void add(const tegula::product_differences& found, long_index_t elements)
    {
        max_error = std::max(max_error, found.largest_error);
        passed = passed && found.passed() && found.compared == elements;
    }
};

} // namespace gemm_benchmark
