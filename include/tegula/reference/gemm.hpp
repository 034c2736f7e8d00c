#pragma once

#include <tegula/core/activation.hpp>
#include <tegula/core/convert.hpp>
#include <tegula/core/math.hpp>
#include <tegula/reference/blocked_product.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

namespace tegula {

/// The activation in double; gelu by erf, not the tanh approximation.
TEGULA_HOST_DEVICE inline double apply(tegula::activation activation, double x)
{
    switch (activation) {
    case tegula::activation::relu:
        return x < 0 ? 0 : x;
    case tegula::activation::gelu:
        return x == -HUGE_VAL ? 0 : x * 0.5 * std::erfc(-x * 0.70710678118654752440);
    case tegula::activation::silu:
        return x == -HUGE_VAL ? 0 : x / (1 + std::exp(-x));
    case tegula::activation::none:
        break;
    }
    return x;
}

/// D = activation(alpha * A * B + beta * C + bias) for each matrix of a batch. A is m x k, B is k x n, C and D are
/// m x n. bias has n elements, one for each column. Inputs are not rounded: round them to the kernel's type before.
/// As in BLAS, A and B are not read if alpha or k is 0, and C is not read if beta is 0.
template <class A, class B, class C = float, class Bias = float>
struct reference_gemm_problem
{
    long_index_t m = 0, n = 0, k = 0, batch = 1;
    strided_matrix<A> a = {};
    strided_matrix<B> b = {};
    double alpha = 1, beta = 0;
    strided_matrix<C> c = {};
    const Bias* bias = nullptr;
    tegula::activation activation = tegula::activation::none;
    /// Elements of A and B of smaller magnitude count as zero; see tegula::least_input(arch, kind).
    double least_input = 0;

    long_index_t elements() const { return batch * m * n; }
    bool multiplies() const { return alpha != 0 && k > 0; }
    bool reads_c() const { return beta != 0 && c.data != nullptr; }
};

/// Row-major, batch * m * n elements each.
struct reference_gemm_result
{
    std::vector<double> values;
    /// |alpha| * |A| * |B| + |beta * C| + |bias|, to which error bounds are relative.
    std::vector<double> magnitudes;
};

namespace detail {

/// Calls finish(sum, batch, i, j) for every element of D. `sum` is the element of A * B, with `change` applied to each
/// factor. Factors below least_input are 0.
template <class Problem, class Change, class Finish>
void for_each_product(const Problem& p, const Change& change, const Finish& finish)
{
    constexpr long_index_t size = product_tile::size;
    const long_index_t across = ceil_div(p.n, size), down = ceil_div(p.m, size);
    const auto factor = [&](double x) { return std::fabs(x) < p.least_input ? 0 : change(x); };
    parallel_for(p.batch * down * across, [&](long_index_t task) {
        const long_index_t batch = task / (down * across);
        const long_index_t i0 = task / across % down * size, j0 = task % across * size;
        const long_index_t rows = std::min(size, p.m - i0), columns = std::min(size, p.n - j0);
        thread_local product_tile tile;
        tile.compute(
            rows, columns, p.multiplies() ? p.k : 0,
            [&](long_index_t i, long_index_t kk) { return factor(static_cast<double>(p.a(batch, i0 + i, kk))); },
            [&](long_index_t kk, long_index_t j) { return factor(static_cast<double>(p.b(batch, kk, j0 + j))); });
        for (long_index_t i = 0; i < rows; ++i)
            for (long_index_t j = 0; j < columns; ++j)
                finish(tile(i, j), batch, i0 + i, j0 + j);
    });
}

} // namespace detail

/// The product in double, with magnitudes for error bounds. Uses all cores; m = n = k = 1024 takes about a second.
template <class A, class B, class C, class Bias>
reference_gemm_result reference_gemm(const reference_gemm_problem<A, B, C, Bias>& p)
{
    const auto count = static_cast<std::size_t>(p.elements());
    reference_gemm_result result{std::vector<double>(count), std::vector<double>(count)};
    const auto at = [&](long_index_t batch, long_index_t i, long_index_t j) {
        return static_cast<std::size_t>((batch * p.m + i) * p.n + j);
    };
    const auto source = [&](long_index_t batch, long_index_t i, long_index_t j) {
        return p.reads_c() ? p.beta * static_cast<double>(p.c(batch, i, j)) : 0.0;
    };
    const auto bias = [&](long_index_t j) { return p.bias != nullptr ? static_cast<double>(p.bias[j]) : 0.0; };
    const auto keep = [](double x) { return x; };
    const auto magnitude = [](double x) { return std::fabs(x); };

    detail::for_each_product(p, keep, [&](double sum, long_index_t batch, long_index_t i, long_index_t j) {
        const double scaled = p.multiplies() ? p.alpha * sum : 0.0;
        result.values[at(batch, i, j)] = apply(p.activation, scaled + source(batch, i, j) + bias(j));
    });
    detail::for_each_product(p, magnitude, [&](double sum, long_index_t batch, long_index_t i, long_index_t j) {
        result.magnitudes[at(batch, i, j)] =
            std::fabs(p.alpha) * sum + std::fabs(source(batch, i, j)) + std::fabs(bias(j));
    });
    return result;
}

/// A * B of 8-bit integers, row-major, batch * m * n elements. Exact; past 32 bits it wraps around as the hardware's
/// accumulators do. alpha, beta, C, bias and activation are not used.
template <class A, class B, class C, class Bias>
std::vector<std::int32_t> reference_integer_gemm(const reference_gemm_problem<A, B, C, Bias>& problem)
{
    static_assert(std::is_integral_v<A> && sizeof(A) == 1 && std::is_integral_v<B> && sizeof(B) == 1,
                  "reference_integer_gemm multiplies 8-bit integers");
    auto p = problem;
    p.alpha = 1;
    std::vector<std::int32_t> result(static_cast<std::size_t>(p.elements()));
    // Products are below 2^16, so sums of up to 2^37 of them are exact in a double.
    const auto keep = [](double x) { return x; };
    detail::for_each_product(p, keep, [&](double sum, long_index_t batch, long_index_t i, long_index_t j) {
        result[static_cast<std::size_t>((batch * p.m + i) * p.n + j)] =
            static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(sum)));
    });
    return result;
}

} // namespace tegula
