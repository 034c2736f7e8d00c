#pragma once

/// Backward kernels on rows, losses and the largest elements of rows on a device against their formulas.

#include <tegula/host/launch.hpp>

#include "test/gpu/row_checks.hpp"

namespace tegula::test {

/// The largest error of a sum in float of `terms` numbers, each off by some roundings, in units of the
/// sum of magnitudes.
constexpr TEGULA_HOST_DEVICE double long_sum_error(long_index_t terms)
{
    return static_cast<double>(terms + 16) * 0x1p-23;
}

/// dx of softmax, or log_softmax, whose output is `x`.
template <class T, class O>
struct softmax_gradient : row_formula<T, O>
{
    using base = row_formula<T, O>;
    const T* dy;
    bool logarithm;

    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        const T* const y = base::row_of(i);
        const T* const d = dy + (y - base::x);
        double sum = 0, magnitude = 0;
        for (long_index_t j = 0; j < base::length; ++j) {
            const double term = wide(d[j]) * (logarithm ? 1 : wide(y[j]));
            sum += term;
            magnitude += std::fabs(term);
        }
        const double mine = wide(base::x[i]), dy_i = wide(dy[i]), e = long_sum_error(base::length);
        if (!logarithm)
            return base::stored(mine * (dy_i - sum), std::fabs(mine) * (e * magnitude + 0x1p-22 * std::fabs(dy_i)));
        const double p = std::exp(mine), relative = (4 + 4 * std::fabs(mine)) * 0x1p-23;
        return base::stored(dy_i - p * sum, p * magnitude * (e + relative) + 0x1p-22 * std::fabs(dy_i));
    }
};

/// Results of the forward pass that the backward pass of layernorm and rmsnorm takes, and n = (x - mean) *
/// inverse_deviation.
template <class T>
struct normalized_rows
{
    const T* x;
    const float* mean; ///< null: rmsnorm
    const float* inverse_deviation;
    long_index_t rows, length;

    TEGULA_HOST_DEVICE double mean_of(long_index_t row) const
    {
        return mean == nullptr ? 0 : static_cast<double>(mean[row]);
    }
    TEGULA_HOST_DEVICE double scale(long_index_t row) const { return static_cast<double>(inverse_deviation[row]); }
    TEGULA_HOST_DEVICE double value(long_index_t row, long_index_t j) const
    {
        return (wide(x[row * length + j]) - mean_of(row)) * scale(row);
    }
    /// With which errors of the value are in relation.
    TEGULA_HOST_DEVICE double magnitude(long_index_t row, long_index_t j) const
    {
        return (std::fabs(wide(x[row * length + j])) + std::fabs(mean_of(row))) * scale(row);
    }
};

/// The statistics themselves: the mean of each row and behind these its inverse deviation.
template <class T>
struct statistics_formula
{
    normalized_rows<T> of;
    double epsilon;

    TEGULA_HOST_DEVICE long_index_t count() const { return (of.mean == nullptr ? 1 : 2) * of.rows; }
    TEGULA_HOST_DEVICE bool is_mean(long_index_t i) const { return of.mean != nullptr && i < of.rows; }
    TEGULA_HOST_DEVICE double found(long_index_t i) const { return is_mean(i) ? of.mean_of(i) : of.scale(i % of.rows); }
    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        const T* const row = of.x + i % of.rows * of.length;
        const auto n = static_cast<double>(of.length);
        double mean = 0, magnitude = 0, squares = 0;
        for (long_index_t j = 0; j < of.length; ++j) {
            const auto x = wide(row[j]);
            mean += of.mean == nullptr ? 0 : x / n;
            magnitude += std::fabs(x) / n;
        }
        const double e = long_sum_error(of.length);
        if (is_mean(i))
            return {mean, e * magnitude};
        for (long_index_t j = 0; j < of.length; ++j) {
            const double x = wide(row[j]) - mean;
            squares += x * x / n;
        }
        const double inverse = 1 / std::sqrt(squares + epsilon);
        return {inverse, inverse * (e + 2 * e * magnitude * inverse)};
    }
};

/// dx of layernorm or rmsnorm; `x` here is dy.
template <class T, class O>
struct norm_gradient : row_formula<T, O>
{
    using base = row_formula<T, O>;
    normalized_rows<T> of;
    const T* weight;

    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        const long_index_t row = i / base::length, mine = i % base::length;
        double g_sum = 0, g_magnitude = 0, gn_sum = 0, gn_magnitude = 0;
        for (long_index_t j = 0; j < base::length; ++j) {
            const double g = gradient(row, j);
            g_sum += of.mean == nullptr ? 0 : g;
            g_magnitude += std::fabs(g);
            gn_sum += g * of.value(row, j);
            gn_magnitude += std::fabs(g) * of.magnitude(row, j);
        }
        const auto n = static_cast<double>(base::length);
        const double g = gradient(row, mine), scale = of.scale(row), e = long_sum_error(base::length);
        const double value = scale * (g - g_sum / n - of.value(row, mine) * gn_sum / n);
        return base::stored(value,
                            e * scale * (std::fabs(g) + g_magnitude / n + of.magnitude(row, mine) * gn_magnitude / n));
    }

private:
    TEGULA_HOST_DEVICE double gradient(long_index_t row, long_index_t j) const
    {
        return wide(base::x[row * base::length + j]) * wide(weight[j]);
    }
};

/// dweight, or dbias, which are sums over rows.
template <class T>
struct norm_parameter_gradient
{
    normalized_rows<T> of;
    const T* dy;
    const float* result;
    bool of_bias;

    TEGULA_HOST_DEVICE long_index_t count() const { return of.length; }
    TEGULA_HOST_DEVICE double found(long_index_t i) const { return static_cast<double>(result[i]); }
    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        double sum = 0, magnitude = 0;
        for (long_index_t r = 0; r < of.rows; ++r) {
            const auto d = wide(dy[r * of.length + i]);
            sum += d * (of_bias ? 1 : of.value(r, i));
            magnitude += std::fabs(d) * (of_bias ? 1 : of.magnitude(r, i));
        }
        return {sum, long_sum_error(of.rows) * magnitude};
    }
};

/// Cross-entropy of logits `x`: the loss of each row, and behind these dx.
template <class T>
struct cross_entropy_formula
{
    const T* x;
    const T* dx;
    const long_index_t* labels;
    const float* losses;
    const float* d_losses;
    long_index_t rows, length, ignored;

    TEGULA_HOST_DEVICE long_index_t count() const { return rows + rows * length; }
    TEGULA_HOST_DEVICE double found(long_index_t i) const
    {
        return i < rows ? static_cast<double>(losses[i]) : wide(dx[i - rows]);
    }
    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        const long_index_t row = i < rows ? i : (i - rows) / length, label = labels[row];
        if (label == ignored)
            return {0, 0};
        double largest = -HUGE_VAL, least = HUGE_VAL, sum = 0;
        for (long_index_t j = 0; j < length; ++j) {
            largest = std::fmax(largest, wide(x[row * length + j]));
            least = std::fmin(least, wide(x[row * length + j]));
        }
        for (long_index_t j = 0; j < length; ++j)
            sum += std::exp(wide(x[row * length + j]) - largest);
        const double log_sum = largest + std::log(sum);
        // Errors of exp2 and its argument, of the sum, and of numbers as large as log_sum that are rounded to float.
        const double off = (4 + 4 * (largest - least)) * 0x1p-23 + long_sum_error(length) +
                           0x1p-22 * (std::fabs(log_sum) + std::fabs(largest) + std::fabs(least));
        if (i < rows) {
            const double loss = log_sum - wide(x[row * length + label]);
            return {loss, off};
        }
        const double p = std::exp(wide(x[i - rows]) - log_sum), slope = static_cast<double>(d_losses[row]);
        const double value = (p - ((i - rows) % length == label ? 1 : 0)) * slope;
        const double bound = std::fabs(slope) * (p * off + 0x1p-22 * (p + 1));
        return {value, bound + tegula::detail::storing_error<T>(std::fabs(value) + bound)};
    }
};

/// The k largest of each row: index r of a row must be the one of rank r, with the lower index first of equals. Behind the
/// ranks what belongs to the indices: the elements, or their weights in the softmax of the k.
template <class T, class O>
struct largest_of_rows
{
    const T* x;
    const O* values;
    const long_index_t* indices;
    long_index_t rows, length, k;
    bool weights;

    TEGULA_HOST_DEVICE long_index_t kept() const { return rows * k; }
    TEGULA_HOST_DEVICE long_index_t count() const { return 2 * kept(); }
    TEGULA_HOST_DEVICE double element(long_index_t row, long_index_t j) const { return wide(x[row * length + j]); }
    TEGULA_HOST_DEVICE bool is_index(long_index_t at) const { return at >= 0 && at < length; }
    TEGULA_HOST_DEVICE double found(long_index_t i) const
    {
        if (i >= kept())
            return wide(values[i - kept()]);
        const long_index_t row = i / k, mine = indices[i];
        long_index_t rank = 0;
        for (long_index_t j = 0; j < length && is_index(mine); ++j)
            rank += element(row, j) > element(row, mine) || (element(row, j) == element(row, mine) && j < mine);
        return is_index(mine) ? static_cast<double>(rank) : -1;
    }
    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        if (i < kept())
            return {static_cast<double>(i % k), 0};
        const long_index_t row = (i - kept()) / k;
        const long_index_t* const of_row = indices + row * k;
        const long_index_t mine = of_row[(i - kept()) % k];
        for (long_index_t j = 0; j < k; ++j)
            if (!is_index(of_row[j]))
                return {-1, 0}; // no weight is
        if (!weights)
            return {element(row, mine), 0};
        double sum = 0;
        for (long_index_t j = 0; j < k; ++j)
            sum += std::exp(element(row, of_row[j]) - element(row, of_row[0]));
        const double range = element(row, of_row[0]) - element(row, of_row[k - 1]);
        const double p = std::exp(element(row, mine) - element(row, of_row[0])) / sum;
        return {p, p * ((8 + 8 * range) * 0x1p-23 + long_sum_error(k))};
    }
};

namespace detail {

/// Returns what is wrong with a launch or with the first of these formulas that is, or an empty string.
template <class Target, class Device, class... Formulas>
std::string check_launched(Device& device, const char* what, const status& launched, const Formulas&... formulas)
{
    return launched ? first_wrong([&] { return check_formula<Target>(device, what, formulas); }...)
                    : std::string(what) + ": " + launched.message();
}

} // namespace detail

/// Gradients of softmax and log_softmax.
template <class Target, class T, class Tiles, class Device>
std::string check_softmax_gradients(Device& device, const row_sizes& size, std::uint64_t seed)
{
    arrays_on<Target, Device> on(device);
    const auto tensor = [&](auto* data) { return make_tensor_argument(data, {size.rows, size.length}); };
    const long_index_t count = size.rows * size.length;
    const T* const y = on.template uniform<T>(count, 5 * seed + 701);
    const T* const dy = on.template uniform<T>(count, 5 * seed + 702);
    T* const dx = on.template room<T>(count);
    if (!on.error)
        return on.error.message();
    const softmax_backward_arguments<T> args{tensor(dy), tensor(y), tensor(dx)};
    const row_formula<T, T> rows{y, dx, size.rows, size.length};
    return first_wrong(
        [&] {
            return detail::check_launched<Target>(device, "softmax backward",
                                                  launch(device, softmax_backward_kernels<Tiles>{}, args),
                                                  softmax_gradient<T, T>{rows, dy, false});
        },
        [&] {
            return detail::check_launched<Target>(
                device, "log_softmax backward",
                launch(device, softmax_backward_kernels<Tiles, softmax_form::log_softmax>{}, args),
                softmax_gradient<T, T>{rows, dy, true});
        });
}

/// Gradients of layernorm or rmsnorm with the statistics that a forward pass by ForwardTiles has left.
template <class Target, class T, norm_kind Kind, class Tiles, class ForwardTiles, class Device>
std::string check_norm_gradients(Device& device, const row_sizes& size, std::uint64_t seed)
{
    constexpr bool has_mean = Kind == norm_kind::layer;
    arrays_on<Target, Device> on(device);
    const auto tensor = [&](auto* data) { return make_tensor_argument(data, {size.rows, size.length}); };
    const long_index_t count = size.rows * size.length;
    const T* const x = on.template uniform<T>(count, 5 * seed + 703);
    const T* const dy = on.template uniform<T>(count, 5 * seed + 704);
    const T* const weight = on.template uniform<T>(size.length, 5 * seed + 705);
    T* const dx = on.template room<T>(count);
    norm_arguments<T> forward;
    forward.x = tensor(x), forward.y = tensor(dx), forward.weight = make_tensor_argument(weight, {size.length});
    forward.mean = has_mean ? on.template room<float>(size.rows) : nullptr;
    forward.inverse_deviation = on.template room<float>(size.rows);
    norm_backward_arguments<T> backward;
    backward.dy = tensor(dy), backward.x = forward.x, backward.dx = forward.y, backward.weight = forward.weight;
    backward.mean = forward.mean, backward.inverse_deviation = forward.inverse_deviation;
    backward.dweight = on.template room<float>(size.length);
    backward.dbias = on.template room<float>(size.length);
    backward.workspace = on.template room<float>(norm_workspace_size(backward));
    status s = on.error;
    s = s ? launch(device, norm_kernels<ForwardTiles, Kind>{}, forward) : s;
    s = s ? launch(device, norm_backward_kernels<Tiles, strip_tile_for<Target>, Kind>{}, backward) : s;
    const normalized_rows<T> of{x, backward.mean, backward.inverse_deviation, size.rows, size.length};
    return detail::check_launched<Target>(device, has_mean ? "layernorm backward" : "rmsnorm backward", s,
                                          statistics_formula<T>{of, static_cast<double>(forward.epsilon)},
                                          norm_gradient<T, T>{{dy, dx, size.rows, size.length}, of, weight},
                                          norm_parameter_gradient<T>{of, dy, backward.dweight, false},
                                          norm_parameter_gradient<T>{of, dy, backward.dbias, true});
}

/// Cross-entropy with its gradient, the largest elements of rows, and their weights.
template <class Target, class T, class Tiles, class TopkTiles, class Device>
std::string check_losses(Device& device, const row_sizes& size, std::uint64_t seed)
{
    arrays_on<Target, Device> on(device);
    const long_index_t count = size.rows * size.length;
    const index_t k = static_cast<index_t>(size.length < 7 ? size.length : 7);
    const T* const x = on.template uniform<T>(count, 5 * seed + 711);
    std::vector<long_index_t> labels;
    random_source random(5 * seed + 712);
    for (long_index_t r = 0; r < size.rows; ++r)
        labels.push_back(r % 5 == 3 ? -100 : random.integer(0, size.length - 1));
    const long_index_t* const label = on.put(labels);
    float* const losses = on.template room<float>(size.rows);
    float* const weights = on.template room<float>(size.rows * k);
    T* const dx = on.template room<T>(count);
    T* const values = on.template room<T>(size.rows * k);
    long_index_t* const indices = on.template room<long_index_t>(size.rows * k);
    long_index_t* const routes = on.template room<long_index_t>(size.rows * k);
    cross_entropy_arguments<T> loss;
    loss.x = make_tensor_argument(x, {size.rows, size.length});
    loss.dx = make_tensor_argument(dx, {size.rows, size.length});
    loss.labels = label, loss.losses = losses;
    loss.log_sum = on.template room<float>(size.rows);
    loss.d_losses = on.template uniform<float>(size.rows, 5 * seed + 713);
    const topk_arguments<T> topk{loss.x, make_tensor_argument(values, {size.rows, k}),
                                 make_tensor_argument(indices, {size.rows, k})};
    const topk_softmax_arguments<T> routing{loss.x, -1, k, true, weights, routes};
    if (!on.error)
        return on.error.message();
    return first_wrong(
        [&] {
            status s = launch(device, cross_entropy_kernels<Tiles>{}, loss);
            s = s ? launch(device, cross_entropy_backward_kernels<Tiles>{}, loss) : s;
            return detail::check_launched<Target>(
                device, "cross-entropy", s,
                cross_entropy_formula<T>{x, dx, label, losses, loss.d_losses, size.rows, size.length, loss.ignored});
        },
        [&] {
            return detail::check_launched<Target>(
                device, "top-k", launch(device, topk_kernels<Target>{}, topk),
                largest_of_rows<T, T>{x, values, indices, size.rows, size.length, k, false});
        },
        [&] {
            return detail::check_launched<Target>(
                device, "top-k softmax", launch(device, topk_softmax_kernels<TopkTiles>{}, routing),
                largest_of_rows<T, float>{x, weights, routes, size.rows, size.length, k, true});
        });
}

} // namespace tegula::test
