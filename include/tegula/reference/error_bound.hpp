#pragma once

#include <tegula/reference/gemm.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tegula {

/// Rounding unit of one addition in the accumulator. Matrix units that truncate instead of rounding have 2^-23.
inline constexpr double float_rounding_unit = 0x1p-24;
inline constexpr double float_truncation_unit = 0x1p-23;

/// Error bounds of a computed GEMM.
///
/// For a sum of k products in any order, |computed - exact| <= gamma_k * sum |a * b|, gamma_n = n u / (1 - n u)
/// (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, section 3.1). alpha (rounded to float, then
/// multiplied), beta * C and bias add at most 4 roundings to each term, so with
///     magnitude = |alpha| |A| |B| + |beta C| + |bias|
/// the error before the activation is at most gamma_(k + 4) * magnitude, and for results near the least float
/// (k + 4) * 2^-126 more (section 2.1; results below it may be flushed to 0). The activation multiplies it by its
/// Lipschitz constant, and its own evaluation in float adds 16 * 2^-24 * magnitude (none for relu). Storing as Output
/// adds half a unit in the last place, and half its least positive value.
struct gemm_error_model
{
    long_index_t k = 0;
    double alpha = 1;
    tegula::activation activation = tegula::activation::none;
    double unit = float_rounding_unit;
};

/// The largest slope: gelu 1.129, silu 1.0998, here rounded up.
constexpr TEGULA_HOST_DEVICE double lipschitz_constant(tegula::activation activation)
{
    return activation == tegula::activation::gelu ? 1.13 : activation == tegula::activation::silu ? 1.1 : 1;
}

namespace detail {

/// Half the distance between neighbours of `value` in Output, at least half its least positive number; 0 for the types
/// that hold an accumulator as it is.
template <class Output>
TEGULA_HOST_DEVICE double storing_error(double value)
{
    if constexpr (number_traits<Output>::is_float && number_traits<Output>::mantissa_bits < 23) {
        constexpr int mantissa = Output::format::mantissa_bits;
        const double least = std::ldexp(0.5, 1 - Output::format::bias - mantissa);
        return std::ldexp(std::fabs(value), -mantissa - 1) + least;
    } else {
        return 0;
    }
}

} // namespace detail

/// The bound for one element before it is stored; `magnitude` is the element's in reference_gemm_result. Infinity if
/// k * unit reaches 1.
inline TEGULA_HOST_DEVICE double gemm_sum_error_bound(const gemm_error_model& model, double magnitude)
{
    const double roundings = static_cast<double>(model.k) + 4;
    const double product = roundings * model.unit;
    if (product >= 1)
        return HUGE_VAL;
    const double before =
        product / (1 - product) * magnitude + roundings * 0x1p-126 * std::fmax(1.0, std::fabs(model.alpha));
    const bool evaluated = model.activation == tegula::activation::gelu || model.activation == tegula::activation::silu;
    return lipschitz_constant(model.activation) * before + (evaluated ? 16 * float_rounding_unit * magnitude : 0);
}
/// Bound of the error of the element stored as Output.
template <class Output>
TEGULA_HOST_DEVICE double gemm_error_bound(const gemm_error_model& model, double value, double magnitude)
{
    const double computed = gemm_sum_error_bound(model, magnitude);
    return computed + detail::storing_error<Output>(std::fabs(value) + computed);
}

/// The result of a comparison with the reference.
struct error_report
{
    double max_abs_error = 0;
    double max_rel_error = 0;      ///< largest |error| / |reference| where |reference| is larger than the bound
    double worst_ratio = 0;        ///< largest |error| / bound; at most 1 passes
    double worst_error = 0;        ///< the |error| of that element
    long_index_t not_finite = 0;   ///< elements of the result that are infinite or NaN
    long_index_t worst_index = -1; ///< where: row-major over batch, row, column
    bool passed = true;

    /// The bound of the element with the worst ratio; 0 if every element is exact.
    double worst_bound() const { return worst_ratio > 0 ? worst_error / worst_ratio : 0; }

    /// If cancellation leaves a reference no larger than the bound, a relative error would say nothing.
    void add(long_index_t index, double error, double reference, double bound)
    {
        const double ratio = error == 0 || std::isinf(error) ? error : error / bound;
        max_abs_error = std::fmax(max_abs_error, error);
        if (std::fabs(reference) > bound)
            max_rel_error = std::fmax(max_rel_error, error / std::fabs(reference));
        if (worst_index < 0 || ratio > worst_ratio) {
            worst_ratio = ratio;
            worst_error = error;
            worst_index = index;
        }
        passed = passed && ratio <= 1;
    }
};

namespace detail {

/// True if `result` is what `value` must become as Output when it is not finite or, with an error of at most `bound`,
/// passes the largest number of Output. Rounding makes it infinite half a unit past that number.
template <class Output>
bool is_expected_overflow(double result, double value, double bound)
{
    if (std::isnan(value) || std::isnan(result))
        return std::isnan(value) && std::isnan(result);
    const auto largest = static_cast<double>(number_traits<Output>::max());
    if (!(std::fabs(result) >= largest) || std::signbit(result) != std::signbit(value))
        return false;
    if (std::isinf(value))
        return true;
    if (!std::isfinite(bound))
        return false; // there is no bound
    const double half_unit = std::ldexp(0.5, std::ilogb(largest) - number_traits<Output>::mantissa_bits);
    return std::fabs(value) + bound >= (std::isinf(result) ? largest + half_unit : largest);
}

template <class Output>
void compare_element(const gemm_error_model& model, double result, double value, double magnitude, long_index_t index,
                     error_report& report)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double bound = gemm_error_bound<Output>(model, value, magnitude);
    const bool finite = std::isfinite(result) && std::isfinite(value);
    // Partial sums of finite terms may pass the largest float, and infinities cancel to NaN.
    const bool overflown = !std::isfinite(result) && std::isfinite(magnitude) &&
                           magnitude >= static_cast<double>(number_traits<float>::max());
    const bool expected =
        overflown || is_expected_overflow<Output>(result, value, gemm_sum_error_bound(model, magnitude));
    const double error = expected ? 0 : finite ? std::fabs(result - value) : infinity;
    report.add(index, error, value, bound);
    report.not_finite += !std::isfinite(result);
}

} // namespace detail

/// Compares `result` with the reference of `problem`, element by element, against gemm_error_bound.
/// If the reference is past the largest Output, the element may be that or infinity; NaN must be NaN. If the magnitudes
/// of the terms of finite inputs add up to more than the largest float, any infinity or NaN passes.
template <class Output, class Problem>
error_report verify_gemm(const Problem& problem, const strided_matrix<Output>& result,
                         const reference_gemm_result& reference, double unit = float_rounding_unit)
{
    const gemm_error_model model{problem.multiplies() ? problem.k : 0, problem.alpha, problem.activation, unit};
    error_report report;
    long_index_t index = 0;
    for (long_index_t batch = 0; batch < problem.batch; ++batch)
        for (long_index_t i = 0; i < problem.m; ++i)
            for (long_index_t j = 0; j < problem.n; ++j, ++index)
                detail::compare_element<Output>(model, static_cast<double>(result(batch, i, j)),
                                                reference.values[static_cast<std::size_t>(index)],
                                                reference.magnitudes[static_cast<std::size_t>(index)], index, report);
    return report;
}

/// Compares `result` with the reference for integers, which must be equal.
template <class Problem>
error_report verify_integer_gemm(const Problem& problem, const strided_matrix<std::int32_t>& result,
                                 std::span<const std::int32_t> reference)
{
    error_report report;
    long_index_t index = 0;
    for (long_index_t batch = 0; batch < problem.batch; ++batch)
        for (long_index_t i = 0; i < problem.m; ++i)
            for (long_index_t j = 0; j < problem.n; ++j, ++index) {
                const double expected = reference[static_cast<std::size_t>(index)];
                const double error = std::fabs(result(batch, i, j) - expected);
                report.add(index, error, expected, 0);
            }
    return report;
}

} // namespace tegula
