#pragma once

#include <tegula/reference/attention.hpp>
#include <tegula/reference/error_bound.hpp>

#include <cmath>
#include <span>

namespace tegula {

/// Compares a computed tensor with the reference, element by element, each against its own bound. If the reference is
/// infinite or NaN, the result must be the same infinity, or NaN.
inline error_report verify_within(std::span<const double> result, std::span<const double> reference,
                                  std::span<const double> bounds)
{
    error_report report;
    for (std::size_t i = 0; i < reference.size(); ++i) {
        const double x = result[i], y = reference[i];
        const bool same = x == y || (std::isnan(x) && std::isnan(y));
        const double error = same ? 0 : std::isfinite(x) && std::isfinite(y) ? std::fabs(x - y) : HUGE_VAL;
        report.add(static_cast<long_index_t>(i), error, y, bounds[i]);
        report.not_finite += !std::isfinite(x);
    }
    return report;
}
/// Compares a result with an array of a reference, within the array's bounds.
inline error_report verify_attention(std::span<const double> result, const attention_array& reference)
{
    return verify_within(result, reference.values, reference.bounds);
}

/// Copies the elements of a tensor in memory to the order of an array of that shape.
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
