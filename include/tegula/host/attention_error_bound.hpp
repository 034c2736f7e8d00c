#pragma once

#include <tegula/host/attention_reference.hpp>
#include <tegula/host/error_bound.hpp>

#include <cmath>
#include <span>

namespace tegula {

/// How far each element of a tensor of attention may be from the reference: twice as far as the formula's own rounding
/// leads, with every tensor in it (scores, probabilities, outputs, gradients) rounded to the inputs' type, at its worst
/// element; and 2^-17 of the largest element for sums in float, which an exact formula has not.
///
///   reference   the formula in double
///   rounded     the same with the inputs' type for Intermediate
///   magnitudes  elements with the absolute values of their terms, if these cancel: of dQ and dK
inline double attention_error_bound(std::span<const double> reference, std::span<const double> rounded,
                                    std::span<const double> magnitudes = {})
{
    double largest = 0, worst = 0;
    for (const double x : magnitudes)
        if (std::isfinite(x))
            largest = std::fmax(largest, x);
    for (std::size_t i = 0; i < reference.size(); ++i) {
        if (!std::isfinite(reference[i]))
            continue;
        largest = std::fmax(largest, std::fabs(reference[i]));
        // What overflows in a type of fewer bits says nothing about kernels, which sum in float.
        if (std::isfinite(rounded[i]))
            worst = std::fmax(worst, std::fabs(rounded[i] - reference[i]));
    }
    return 2 * worst + 0x1p-17 * largest + 0x1p-126;
}

/// Compares a computed tensor with the reference, element by element, against attention_error_bound. If the
/// reference is infinite or NaN the result must be the same.
inline error_report verify_attention(std::span<const double> result, std::span<const double> reference,
                                     std::span<const double> rounded, std::span<const double> magnitudes = {})
{
    const double bound = attention_error_bound(reference, rounded, magnitudes);
    error_report report;
    for (std::size_t i = 0; i < reference.size(); ++i) {
        const double x = result[i], y = reference[i];
        const bool same = x == y || (std::isnan(x) && std::isnan(y));
        const double error = same ? 0 : std::isfinite(x) && std::isfinite(y) ? std::fabs(x - y) : HUGE_VAL;
        report.add(static_cast<long_index_t>(i), error, y, bound);
        report.not_finite += !std::isfinite(x);
    }
    return report;
}

/// The elements of a tensor in memory in the order of an array of that shape.
template <class T>
std::vector<double> gather_attention(const attention_tensor<T>& x, const attention_array& shape)
{
    std::vector<double> values;
    values.reserve(shape.values.size());
    for (long_index_t b = 0; b < shape.batch; ++b)
        for (long_index_t h = 0; h < shape.heads; ++h)
            for (long_index_t r = 0; r < shape.rows; ++r)
                for (long_index_t c = 0; c < shape.columns; ++c)
                    values.push_back(static_cast<double>(
                        convert<float>(x.data[b * x.batch_stride + h * x.head_stride + r * x.row_stride + c])));
    return values;
}
template <class T>
std::vector<double> gather_attention(const attention_rows<T>& x, const attention_array& shape)
{
    return gather_attention(attention_tensor<T>{x.data, x.batch_stride, x.head_stride, 1}, shape);
}

} // namespace tegula
