#pragma once

/// Random norms, softmaxes and gradients of norms whose elements lie anywhere in the range of their type, against the
/// formulas in double. The bounds are those of the formulas in float: u is a rounding, sums have their own (sum_error).

#include <tegula/reference/random.hpp>

#include "test/kernel/normalization/rows.hpp"

#include <algorithm>

namespace tegula::test {

/// Problems and elements that were compared.
struct range_count
{
    int problems = 0;
    long_index_t elements = 0;
};

namespace range {

/// Two rows of memory: one after the other, or as the columns of a matrix.
template <class T>
struct two_rows : strided_data<T>
{
    int axis;

    two_rows(long_index_t length, int along)
        : strided_data<T>({along == 0 ? length : 2, along == 0 ? 2 : length}), axis(along)
    {}
    std::vector<T*> row(long_index_t r) const { return strided_data<T>::row(r, axis); }
    row_of_doubles values(long_index_t r) const { return strided_data<T>::values(r, axis); }
};

inline constexpr double u = 0x1p-24;
inline constexpr double least = 0x1p-126; ///< smaller numbers may be flushed to 0

/// How far a sum of float may be off, in units of the sum of magnitudes: kernels keep at least 16 sums side by side.
inline double sum_error(std::size_t length) { return (static_cast<double>(length) / 16 + 32) * u; }

/// A row's elements: about one magnitude, of all magnitudes, far from 0, or of two signs and one magnitude.
template <class T>
void draw_row(random_source& random, const std::vector<T*>& row)
{
    const double largest = static_cast<double>(convert<float>(number_traits<T>::max()));
    const double top = std::log2(largest);
    const double magnitude = random.uniform(std::max(-top - 20, -140.0), top + 1);
    const auto form = random.integer(0, 4);
    const double centre = random.normal();
    for (T* element : row) {
        double x = std::exp2(magnitude - 1) * random.normal();
        if (form == 1)
            x = std::exp2(random.uniform(-top, top)) * (random.uniform() < 0.5 ? -1 : 1);
        else if (form == 2)
            x = std::exp2(magnitude) * (centre + random.normal() * 0x1p-9);
        else if (form == 3)
            x = std::exp2(magnitude) * (random.uniform() < 0.5 ? -1 : 1);
        *element = convert<T>(static_cast<float>(std::clamp(x, -largest, largest)));
    }
}

/// Fails unless `got` is within `bound` of the exact value, and within what storing as O rounds; numbers that no float
/// holds are infinite.
template <class O>
void compare(O stored, double exact, double bound, std::size_t i)
{
    const auto got = static_cast<double>(convert<float>(stored));
    bound += detail::storing_error<O>(exact) + u * std::fabs(exact) + 2 * least;
    const auto largest = static_cast<double>(convert<float>(number_traits<O>::max()));
    const bool infinite =
        std::isinf(got) && std::signbit(got) == std::signbit(exact) && std::fabs(exact) + bound >= largest;
    if (!infinite && !(std::fabs(got - exact) <= bound)) {
        INFO("element " << i << ": " << got << " for " << exact << ", bound " << bound);
        FAIL();
    }
}

/// How far a row's mean may be off, and the inverse of its deviation relative to itself.
struct statistics_error
{
    double mean = 0, inverse = 0;

    statistics_error(norm_kind kind, std::span<const double> x, const row_statistics& of)
    {
        const double e = sum_error(x.size());
        double magnitude = 0;
        for (const double v : x)
            magnitude += std::fabs(v) / static_cast<double>(x.size());
        if (kind == norm_kind::layer)
            mean = (e + 2 * u) * magnitude;
        const double shift = mean * of.inverse_deviation;
        inverse = e + 8 * u + shift * shift + 2 * u * (magnitude * of.inverse_deviation);
    }
};

template <class Target, class T, norm_kind Kind>
long_index_t check_norm(random_source& random, long_index_t length, int axis)
{
    constexpr float epsilons[] = {0, 1e-5f, 1e-12f, 1, 1e-30f, 1e10f};
    two_rows<T> x(length, axis), residual(length, axis), y(length, axis);
    strided_data<T> weight({length});
    strided_data<float> means({2}), inverses({2});
    const bool fused = random.uniform() < 0.3;
    norm_arguments<T> a;
    a.x = x.input(), a.y = y.tensor, a.axis = axis;
    a.mean = means.tensor.data, a.inverse_deviation = inverses.tensor.data;
    a.epsilon = epsilons[random.integer(0, 5)];
    fill(weight, 1);
    for (long_index_t r = 0; r < 2; ++r) {
        const std::vector<T*> row = x.row(r), half = residual.row(r);
        draw_row(random, row);
        for (std::size_t i = 0; i < row.size(); ++i) // a sum stays in the range
            *half[i] = convert<T>(-0.5f * convert<float>(*row[i]));
    }
    if (fused)
        a.residual = residual.input(), a.sum = residual.tensor, a.weight = weight.input();
    device_of<Target> device;
    require_ran(launch(device, norm_kernels<few_row_tiles_for<Target, row_vector<T, T>>, Kind>{}, a), device);
    for (long_index_t r = 0; r < 2; ++r) {
        const row_of_doubles row = (fused ? residual : x).values(r), w = weight.values(0, 0);
        const auto epsilon = static_cast<double>(a.epsilon);
        const row_statistics of = reference_statistics(Kind, row, epsilon);
        if (!std::isfinite(of.inverse_deviation))
            continue; // 0 / 0
        const statistics_error error(Kind, row, of);
        INFO("row " << r << ", epsilon " << a.epsilon << (fused ? ", residual" : ""));
        if (Kind == norm_kind::layer)
            compare(means.tensor.data[r], of.mean, error.mean, 0);
        compare(inverses.tensor.data[r], of.inverse_deviation, error.inverse * of.inverse_deviation, 0);
        const std::vector<T*> found = y.row(r);
        for (std::size_t i = 0; i < row.size(); ++i) {
            const double factor = fused ? w[i] : 1, exact = (row[i] - of.mean) * of.inverse_deviation * factor;
            compare(*found[i], exact,
                    std::fabs(factor) * of.inverse_deviation * (error.mean + 2 * u * std::fabs(row[i] - of.mean)) +
                        std::fabs(exact) * (error.inverse + 4 * u),
                    i);
        }
    }
    return 2 * length;
}

template <class Target, class T, norm_kind Kind>
long_index_t check_norm_gradient(random_source& random, long_index_t length, int axis)
{
    two_rows<T> x(length, axis), dy(length, axis);
    two_rows<float> dx(length, axis);
    strided_data<float> means({2}), inverses({2}), dweight({length}), dbias({length});
    fill(dy);
    norm_backward_arguments<T, float> a;
    a.dy = dy.input(), a.x = x.input(), a.dx = dx.tensor, a.axis = axis;
    a.mean = means.tensor.data, a.inverse_deviation = inverses.tensor.data;
    a.dweight = dweight.tensor.data, a.dbias = dbias.tensor.data;
    std::vector<float> workspace(static_cast<std::size_t>(norm_workspace_size(a)));
    a.workspace = workspace.data();
    const auto n = static_cast<std::size_t>(length);
    std::vector<row_of_doubles> rows;
    for (long_index_t r = 0; r < 2; ++r) {
        draw_row(random, x.row(r));
        rows.push_back(x.values(r));
        const row_statistics of = reference_statistics(Kind, rows.back(), random.uniform() < 0.5 ? 1e-5 : 1e-38);
        means.tensor.data[r] = static_cast<float>(of.mean);
        inverses.tensor.data[r] = static_cast<float>(of.inverse_deviation);
        for (double& v : rows.back()) // from here on the normalised row, by the statistics as they are stored
            v = (v - static_cast<double>(means.tensor.data[r])) * static_cast<double>(inverses.tensor.data[r]);
    }
    device_of<Target> device;
    require_ran(
        launch(device,
               norm_backward_kernels<few_row_tiles_for<Target, row_vector<T, float>>, strip_tile_for<Target>, Kind>{},
               a),
        device);
    row_of_doubles sums(n), magnitudes(n);
    for (long_index_t r = 0; r < 2; ++r) {
        INFO("row " << r);
        const row_of_doubles &normal = rows[static_cast<std::size_t>(r)], g = dy.values(r);
        const std::vector<float*> found = dx.row(r);
        const auto inverse = static_cast<double>(inverses.tensor.data[r]);
        double average = 0, slope = 0, magnitude = 0, of_products = 0;
        for (std::size_t i = 0; i < n; ++i) {
            average += Kind == norm_kind::layer ? g[i] / static_cast<double>(n) : 0;
            slope += g[i] * normal[i] / static_cast<double>(n);
            magnitude += std::fabs(g[i]) / static_cast<double>(n);
            of_products += std::fabs(g[i] * normal[i]) / static_cast<double>(n);
            sums[i] += g[i] * normal[i], magnitudes[i] += std::fabs(g[i] * normal[i]);
        }
        const double e = sum_error(n) + 6 * u;
        for (std::size_t i = 0; i < n; ++i)
            compare(*found[i], inverse * (g[i] - average - normal[i] * slope),
                    inverse * (e * magnitude + std::fabs(normal[i]) * (e * of_products + 6 * u * std::fabs(slope)) +
                               4 * u * (std::fabs(g[i]) + std::fabs(average))),
                    i);
    }
    for (std::size_t i = 0; i < n; ++i)
        compare(dweight.tensor.data[i], sums[i], 8 * u * magnitudes[i], i);
    return 3 * length;
}

template <class Target, class T, softmax_form Form>
long_index_t check_softmax(random_source& random, long_index_t length, int axis)
{
    two_rows<T> x(length, axis), y(length, axis);
    for (long_index_t r = 0; r < 2; ++r)
        draw_row(random, x.row(r));
    device_of<Target> device;
    require_ran(launch(device, softmax_kernels<few_row_tiles_for<Target, row_vector<T, T>>, Form>{},
                       softmax_arguments<T, T>{x.input(), y.tensor, axis}),
                device);
    for (long_index_t r = 0; r < 2; ++r) {
        INFO("row " << r);
        const row_of_doubles row = x.values(r);
        const std::vector<T*> found = y.row(r);
        const row_of_doubles p = reference_softmax(row), logarithms = reference_softmax(row, true);
        const double greatest = *std::max_element(row.begin(), row.end());
        // exp has its argument's rounding, the sum that of its terms.
        const auto relative = [&](std::size_t i) { return 4 * u * (greatest - row[i]) + 8 * u; };
        double of_sum = sum_error(row.size());
        for (std::size_t i = 0; i < row.size(); ++i)
            of_sum += p[i] > 0 ? p[i] * relative(i) : 0;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const T got = *found[i];
            if constexpr (Form == softmax_form::log_softmax)
                compare(got, logarithms[i],
                        of_sum + 2 * u * std::fabs(greatest - row[i]) + 8 * u * std::fabs(logarithms[i]), i);
            else
                compare(got, p[i], p[i] > 0 ? p[i] * (relative(i) + of_sum) : 0, i);
        }
    }
    return 2 * length;
}

} // namespace range

/// `problems` random ones, of each kind in turn, on a target.
///
///   longest  of rows: past about 8000 elements they are read in chunks
template <class Target, class T>
range_count check_row_range(std::uint64_t seed, int problems, long_index_t longest)
{
    random_source random(seed);
    range_count count;
    for (int i = 0; i < problems; ++i) {
        const long_index_t most = i % 3 == 0 ? 16 : i % 3 == 1 ? std::min(longest, long_index_t{700}) : longest;
        long_index_t length = random.integer(1, most);
        length = random.uniform() < 0.5 ? round_up(length, long_index_t{16}) : length;
        const int axis = random.uniform() < 0.25 ? 0 : -1;
        INFO(Target::chip().name << ", seed " << seed << ", problem " << i << ": rows of " << length << " along "
                                 << axis);
        switch (i / 3 % 6) {
        case 0:
            count.elements += range::check_norm<Target, T, norm_kind::layer>(random, length, axis);
            break;
        case 1:
            count.elements += range::check_norm<Target, T, norm_kind::rms>(random, length, axis);
            break;
        case 2:
            count.elements += range::check_softmax<Target, T, softmax_form::softmax>(random, length, axis);
            break;
        case 3:
            count.elements += range::check_softmax<Target, T, softmax_form::log_softmax>(random, length, axis);
            break;
        case 4:
            count.elements += range::check_norm_gradient<Target, T, norm_kind::layer>(random, length, axis);
            break;
        default:
            count.elements += range::check_norm_gradient<Target, T, norm_kind::rms>(random, length, axis);
            break;
        }
        ++count.problems;
    }
    return count;
}

} // namespace tegula::test
