#pragma once

/// Kernels on rows, reductions and scans on a device against their formulas.

#include <tegula/host/launch.hpp>
#include <tegula/normalization.hpp>
#include <tegula/reduction.hpp>

#include "test/gpu/device_data.hpp"

namespace tegula::test {

/// x and y are [rows, length] without gaps.
template <class T, class O>
struct row_formula
{
    const T* x;
    const O* y;
    long_index_t rows, length;

    TEGULA_HOST_DEVICE long_index_t count() const { return rows * length; }
    TEGULA_HOST_DEVICE double found(long_index_t i) const { return wide(y[i]); }
    TEGULA_HOST_DEVICE const T* row_of(long_index_t i) const { return x + i / length * length; }
    /// How far a sum in float of a row may be off, in units of the sum of magnitudes (error_bound.hpp).
    TEGULA_HOST_DEVICE double sum_error() const { return static_cast<double>(length + 8) * 0x1p-24; }
    static TEGULA_HOST_DEVICE expected_value stored(double value, double bound)
    {
        return {value, bound + tegula::detail::storing_error<O>(std::fabs(value) + bound)};
    }
};

template <class T, class O>
struct softmax_formula : row_formula<T, O>
{
    using base = row_formula<T, O>;
    bool logarithm;

    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        const T* const row = base::row_of(i);
        double largest = -HUGE_VAL, least = HUGE_VAL, sum = 0;
        for (long_index_t j = 0; j < base::length; ++j) {
            largest = std::fmax(largest, wide(row[j]));
            least = std::fmin(least, wide(row[j]));
        }
        for (long_index_t j = 0; j < base::length; ++j)
            sum += std::exp(wide(row[j]) - largest);
        const double z = wide(base::x[i]) - largest - std::log(sum);
        // Errors of exp2 and its argument, and of the sum.
        const double relative = (4 + 4 * (largest - least)) * 0x1p-23 + base::sum_error();
        if (logarithm)
            return base::stored(z, relative + 0x1p-22 * (std::fabs(z) + std::fabs(largest)));
        return base::stored(std::exp(z), std::exp(z) * relative + 0x1p-126);
    }
};

/// layernorm, or rmsnorm where there is no bias.
template <class T, class O>
struct norm_formula : row_formula<T, O>
{
    using base = row_formula<T, O>;
    const T* weight;
    const T* bias;
    double epsilon;

    struct moments
    {
        double mean, magnitude, inverse;
    };
    TEGULA_HOST_DEVICE moments moments_of(const T* row) const
    {
        const auto n = static_cast<double>(base::length);
        moments m{0, 0, 0};
        double squares = 0;
        for (long_index_t j = 0; j < base::length; ++j) {
            m.mean += bias != nullptr ? wide(row[j]) / n : 0;
            m.magnitude += std::fabs(wide(row[j])) / n;
        }
        for (long_index_t j = 0; j < base::length; ++j) {
            const double x = wide(row[j]) - m.mean;
            squares += x * x / n;
        }
        m.inverse = 1 / std::sqrt(squares + epsilon);
        return m;
    }
    /// Element j of a row, before it is stored.
    TEGULA_HOST_DEVICE expected_value computed(const moments& m, const T* row, long_index_t j) const
    {
        const double w = wide(weight[j]), b = bias != nullptr ? wide(bias[j]) : 0;
        const double x = wide(row[j]) - m.mean, e = base::sum_error();
        // The mean is off by e times the mean magnitude, the sum of squares by 2 e and twice that mean's error.
        const double bound =
            std::fabs(w) * m.inverse * (e * m.magnitude + std::fabs(x) * (2 * e + 2 * e * m.magnitude * m.inverse)) +
            0x1p-22 * (std::fabs(x * m.inverse * w) + std::fabs(b));
        return {x * m.inverse * w + b, bound};
    }
    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        const T* const row = base::row_of(i);
        const expected_value y = computed(moments_of(row), row, i % base::length);
        return base::stored(y.value, y.bound);
    }
};

/// layernorm of x = sum, scaled by `smooth` and quantised to y [rows, length] with a scale for each row.
template <class T>
struct quantized_norm_formula
{
    norm_formula<T, float> norm;
    const T* smooth;
    const std::int8_t* y;
    const float* scale;

    TEGULA_HOST_DEVICE long_index_t count() const { return norm.count(); }
    TEGULA_HOST_DEVICE double found(long_index_t i) const
    {
        return static_cast<double>(y[i]) * static_cast<double>(scale[i / norm.length]);
    }
    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        const T* const row = norm.row_of(i);
        const double factor = wide(smooth[i % norm.length]);
        const expected_value x = norm.computed(norm.moments_of(row), row, i % norm.length);
        return {x.value * factor, (x.bound + 0x1p-22 * std::fabs(x.value)) * std::fabs(factor) +
                                      (0.5 + 0x1p-14) * static_cast<double>(scale[i / norm.length])};
    }
};

/// Its scales: the largest of a row over the largest integer.
template <class T>
struct row_scale_formula
{
    quantized_norm_formula<T> of;

    TEGULA_HOST_DEVICE long_index_t count() const { return of.norm.rows; }
    TEGULA_HOST_DEVICE double found(long_index_t i) const { return static_cast<double>(of.scale[i]); }
    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        const T* const row = of.norm.x + i * of.norm.length;
        const auto moments = of.norm.moments_of(row);
        double largest = 0, bound = 0;
        for (long_index_t j = 0; j < of.norm.length; ++j) {
            const double factor = wide(of.smooth[j]);
            const expected_value x = of.norm.computed(moments, row, j);
            largest = std::fmax(largest, std::fabs(x.value * factor));
            bound = std::fmax(bound, x.bound * std::fabs(factor));
        }
        return {largest / 127, bound / 127 + 0x1p-21 * largest / 127};
    }
};

/// x + residual, rounded to T, which `x` of the base is: exact but for that rounding and the sum's own to float.
template <class T>
struct row_sum_formula : row_formula<T, T>
{
    using base = row_formula<T, T>;
    const T* residual;

    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        const double sum = wide(base::x[i]) + wide(residual[i]);
        return base::stored(sum, 0x1p-24 * std::fabs(sum));
    }
};

/// The sum of a row's elements up to each one, or of all its elements, where y is [rows].
template <class T, class O>
struct sum_formula : row_formula<T, O>
{
    using base = row_formula<T, O>;
    bool prefixes;

    TEGULA_HOST_DEVICE long_index_t count() const { return prefixes ? base::count() : base::rows; }
    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        const T* const row = base::x + (prefixes ? i / base::length : i) * base::length;
        double sum = 0, magnitude = 0;
        for (long_index_t j = 0; j <= (prefixes ? i % base::length : base::length - 1); ++j) {
            sum += wide(row[j]);
            magnitude += std::fabs(wide(row[j]));
        }
        return base::stored(sum, base::sum_error() * magnitude);
    }
};

/// The largest element of each column: y is [length]. Exact.
template <class T, class O>
struct largest_formula : row_formula<T, O>
{
    using base = row_formula<T, O>;

    TEGULA_HOST_DEVICE long_index_t count() const { return base::length; }
    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        double largest = wide(base::x[i]);
        for (long_index_t j = 1; j < base::rows; ++j)
            largest = std::fmax(largest, wide(base::x[j * base::length + i]));
        return {largest, 0};
    }
};

/// The number of the largest element of each row, the lowest of equal ones: `places` is [rows]. Exact.
template <class T>
struct place_formula : row_formula<T, float>
{
    using base = row_formula<T, float>;

    const long_index_t* places;

    TEGULA_HOST_DEVICE long_index_t count() const { return base::rows; }
    TEGULA_HOST_DEVICE double found(long_index_t i) const { return static_cast<double>(places[i]); }
    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        const T* const row = base::x + i * base::length;
        long_index_t place = 0;
        for (long_index_t j = 1; j < base::length; ++j)
            place = wide(row[j]) > wide(row[place]) ? j : place;
        return {static_cast<double>(place), 0};
    }
};

struct row_sizes
{
    long_index_t rows, length;
};

/// softmax, log_softmax, layernorm and rmsnorm of rows of T, by whichever of the tiles suits them, and a layernorm of a sum
/// whose result is smoothed and quantised.
template <class Target, class T, class Tiles, class Device>
std::string check_normalizations(Device& device, const row_sizes& size, std::uint64_t seed)
{
    arrays_on<Target, Device> on(device);
    const auto tensor = [&](auto* data) { return make_tensor_argument(data, {size.rows, size.length}); };
    const long_index_t count = size.rows * size.length;
    const T* const x = on.template uniform<T>(count, 5 * seed + 401);
    const T* const weight = on.template uniform<T>(size.length, 5 * seed + 402);
    const T* const bias = on.template uniform<T>(size.length, 5 * seed + 403);
    T* const y = on.template room<T>(count);
    if (!on.error)
        return on.error.message();
    const row_formula<T, T> rows{x, y, size.rows, size.length};
    const auto check = [&](const char* what, const status& launched, const auto& formula) {
        return launched ? check_formula<Target>(device, what, formula) : std::string(what) + ": " + launched.message();
    };
    const softmax_arguments<T> softmax{tensor(x), tensor(y)};
    norm_arguments<T> rms;
    rms.x = tensor(x), rms.y = tensor(y), rms.weight = make_tensor_argument(weight, {size.length});
    norm_arguments<T> layer = rms;
    layer.bias = make_tensor_argument(bias, {size.length});
    const auto epsilon = static_cast<double>(rms.epsilon);
    const T* const residual = on.template uniform<T>(count, 5 * seed + 404);
    const T* const smooth = on.template uniform<T>(size.length, 5 * seed + 405);
    T* const sum = on.template room<T>(count);
    std::int8_t* const y8 = on.template room<std::int8_t>(count);
    float* const scale = on.template room<float>(size.rows);
    if (!on.error)
        return on.error.message();
    norm_arguments<T, std::int8_t> quantized;
    quantized.x = tensor(x), quantized.y = tensor(y8), quantized.residual = tensor(residual),
    quantized.sum = tensor(sum);
    quantized.weight = layer.weight, quantized.bias = layer.bias, quantized.scale = scale;
    quantized.smooth = make_tensor_argument(smooth, {size.length});
    const quantized_norm_formula<T> of_sum{
        {{sum, nullptr, size.rows, size.length}, weight, bias, epsilon}, smooth, y8, scale};
    return first_wrong(
        [&] {
            return check("softmax", launch(device, softmax_kernels<Tiles>{}, softmax),
                         softmax_formula<T, T>{rows, false});
        },
        [&] {
            return check("log_softmax", launch(device, softmax_kernels<Tiles, softmax_form::log_softmax>{}, softmax),
                         softmax_formula<T, T>{rows, true});
        },
        [&] {
            return check("layernorm", launch(device, norm_kernels<Tiles, norm_kind::layer>{}, layer),
                         norm_formula<T, T>{rows, weight, bias, epsilon});
        },
        [&] {
            return check("rmsnorm", launch(device, norm_kernels<Tiles, norm_kind::rms>{}, rms),
                         norm_formula<T, T>{rows, weight, nullptr, epsilon});
        },
        [&] {
            return check("layernorm of a sum", launch(device, norm_kernels<Tiles, norm_kind::layer>{}, quantized),
                         row_sum_formula<T>{{x, sum, size.rows, size.length}, residual});
        },
        [&] { return check_formula<Target>(device, "layernorm, quantised", of_sum); },
        [&] { return check_formula<Target>(device, "scales of rows", row_scale_formula<T>{of_sum}); });
}

/// Sums of rows, the largest of columns and where rows have theirs, of T, and sums of the elements before, by one block a row
/// and by several.
template <class Target, class T, class Device>
std::string check_reductions(Device& device, const row_sizes& size, std::uint64_t seed)
{
    arrays_on<Target, Device> on(device);
    const long_index_t count = size.rows * size.length;
    const T* const x = on.template uniform<T>(count, 3 * seed + 501);
    float* const y = on.template room<float>(count);
    const auto input = make_tensor_argument(x, {size.rows, size.length});
    const row_formula<T, float> rows{x, y, size.rows, size.length};
    reduction_arguments<fold_reducer<T, plus>, float> sum{{}, input, make_tensor_argument(y, {size.rows}), 1u << 1};
    reduction_arguments<fold_reducer<T, maximum>, float> most{
        {}, input, make_tensor_argument(y, {size.length}), 1u << 0};
    scan_arguments<T, plus, float> scan{{}, input, make_tensor_argument(y, {size.rows, size.length})};
    long_index_t* const places = on.template room<long_index_t>(size.rows);
    reduction_arguments<arg_reducer<T>, long_index_t> place{
        {}, input, make_tensor_argument(places, {size.rows}), 1u << 1};
    place.workspace = on.template room<unsigned char>(static_cast<long_index_t>(reduction_workspace_bytes(place)));
    sum.workspace = on.template room<unsigned char>(static_cast<long_index_t>(reduction_workspace_bytes(sum)));
    most.workspace = on.template room<unsigned char>(static_cast<long_index_t>(reduction_workspace_bytes(most)));
    scan.workspace = on.template room<unsigned char>(static_cast<long_index_t>(scan_workspace_bytes(scan)));
    if (!on.error)
        return on.error.message();
    const auto check = [&](const char* what, const status& launched, const auto& formula) {
        return launched ? check_formula<Target>(device, what, formula) : std::string(what) + ": " + launched.message();
    };
    return first_wrong(
        [&] {
            return check("sums of rows", launch(device, reduction_kernels<Target>{}, sum),
                         sum_formula<T, float>{rows, false});
        },
        [&] {
            return check("largest of columns", launch(device, reduction_kernels<Target>{}, most),
                         largest_formula<T, float>{rows});
        },
        [&] {
            return check("place of the largest", launch(device, reduction_kernels<Target>{}, place),
                         place_formula<T>{rows, places});
        },
        [&] { return check("scan", launch(device, scan_kernels<Target>{}, scan), sum_formula<T, float>{rows, true}); });
}

/// Rows in a wave and in a block, ragged; many, and few that are long enough for several blocks.
inline std::vector<row_sizes> row_cases(bool fast)
{
    std::vector<row_sizes> cases = {{9, 200}, {3, 1001}, {5, 1}};
    if (fast)
        cases.insert(cases.end(), {{4099, 1024}, {2, 70007}, {70000, 33}});
    return cases;
}

/// check(sizes) of each; what is wrong with the first that fails.
template <class Check>
std::string check_each(const std::vector<row_sizes>& cases, const Check& check)
{
    for (const row_sizes& s : cases)
        if (std::string wrong = check(s); !wrong.empty())
            return std::to_string(s.rows) + " x " + std::to_string(s.length) + ": " + wrong;
    return {};
}

} // namespace tegula::test
