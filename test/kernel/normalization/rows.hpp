#pragma once

/// Runs kernels on rows on the emulator with every check on, against the formulas in double.

#include <tegula/normalization.hpp>
#include <tegula/reference/error_bound.hpp>
#include <tegula/reference/rows.hpp>

#include "test/catch.hpp"
#include "test/kernel/device_of.hpp"
#include "test/kernel/input_of.hpp"

#include <string>
#include <vector>

namespace tegula::test {

/// Elements of memory of their own with a place for a tensor [lengths...] of any strides.
template <class T>
struct strided_data
{
    std::vector<T> memory;
    tensor_argument<T> tensor;

    /// The memory begins with a sector; `skip`  elements before the first, so that it is not aligned
    strided_data(std::initializer_list<long_index_t> lengths, std::initializer_list<long_index_t> strides,
                 long_index_t skip = 0)
        : tensor(make_tensor_argument<T>(nullptr, lengths, strides))
    {
        const element_range range = range_of(tensor);
        tensor.data = aligned_memory(range.count() + skip) + skip - range.first;
    }
    /// A tensor without gaps.
    explicit strided_data(std::initializer_list<long_index_t> lengths, long_index_t skip = 0)
        : tensor(make_tensor_argument<T>(nullptr, lengths))
    {
        tensor.data = aligned_memory(tensor.size() + skip) + skip;
    }
    strided_data(const strided_data&) = delete;

    T* aligned_memory(long_index_t elements)
    {
        memory.resize(static_cast<std::size_t>(elements) + 64);
        const auto at = reinterpret_cast<std::uintptr_t>(memory.data());
        return memory.data() + (round_up(at, std::uintptr_t{64}) - at) / sizeof(T);
    }

    tensor_argument<const T> input() const { return input_of(tensor); }
    /// Row `row` of those along `axis`, in C order of the other dimensions: where its elements are.
    std::vector<T*> row(long_index_t row, int axis) const
    {
        const int along = find_dimension(axis, tensor.rank);
        T* at = tensor.data;
        for (int d = tensor.rank; d-- > 0;)
            if (d != along) {
                at += row % tensor.lengths[d] * tensor.strides[d];
                row /= tensor.lengths[d];
            }
        std::vector<T*> elements;
        for (long_index_t i = 0; i < tensor.lengths[along]; ++i)
            elements.push_back(at + i * tensor.strides[along]);
        return elements;
    }
    row_of_doubles values(long_index_t r, int axis) const
    {
        row_of_doubles all;
        for (const T* element : row(r, axis))
            all.push_back(static_cast<double>(convert<float>(*element)));
        return all;
    }
    long_index_t rows(int axis) const
    {
        const long_index_t length = tensor.lengths[find_dimension(axis, tensor.rank)];
        return length == 0 ? 0 : tensor.size() / length;
    }
};

/// Numbers about `mean`, whole multiples of 1/32, different from element to element.
template <class T>
void fill(strided_data<T>& x, double mean = 0)
{
    std::uint32_t state = 7;
    for (T& value : x.memory) {
        state = state * 1664525u + 1013904223u;
        value = convert<T>(static_cast<float>(mean + (static_cast<double>(state >> 24) - 128) / 32));
    }
}

template <class Device>
void require_ran(const status& s, const Device& device)
{
    INFO(s.message() << "\n" << report_of(device));
    REQUIRE(s.ok());
}

/// Each element within `relative` of its size and `absolute`, and within what storing as O rounds; NaN where it is NaN.
template <class O>
void check_row(const std::vector<O*>& row, const row_of_doubles& exact, double relative, double absolute)
{
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const auto got = static_cast<double>(convert<float>(*row[i]));
        INFO("element " << i << ": " << got << " for " << exact[i]);
        if (std::isnan(exact[i]))
            REQUIRE(std::isnan(got));
        else if (std::isinf(exact[i]))
            REQUIRE(got == exact[i]);
        else
            REQUIRE(std::fabs(got - exact[i]) <=
                    relative * std::fabs(exact[i]) + absolute + detail::storing_error<O>(exact[i]));
    }
}

/// softmax of a tensor; the device it ran on.
template <class Tiles, softmax_form Form, class T, class O>
auto check_softmax(const strided_data<T>& x, strided_data<O>& y, int axis)
{
    device_of<typename tile_at<Tiles, 0>::target> device;
    require_ran(launch(device, softmax_kernels<Tiles, Form>{}, softmax_arguments<T, O>{x.input(), y.tensor, axis}),
                device);
    constexpr bool logarithm = Form == softmax_form::log_softmax;
    for (long_index_t r = 0; r < x.rows(axis); ++r) {
        INFO("row " << r);
        check_row(y.row(r, axis), reference_softmax(x.values(r, axis), logarithm), 1e-5, logarithm ? 4e-6 : 1e-8);
    }
    return device;
}

/// Lengths from none to several chunks, strides of all kinds, infinities and NaN.
template <class Target, class T, class O, softmax_form Form = softmax_form::softmax>
void check_softmax_shapes()
{
    using tiles = row_tiles_for<Target, row_vector<T, O>>;
    const auto check = [](strided_data<T>& x, strided_data<O>& y, int axis) {
        fill(x);
        check_softmax<tiles, Form>(x, y, axis);
    };
    constexpr long_index_t lengths[] = {0, 1, 7, 64, 257, 1000, 1024, 4096, 8200, 16384, 33000};
    for (const long_index_t length : lengths) {
        strided_data<T> x({3, length});
        strided_data<O> y({3, length});
        INFO("rows of " << length);
        check(x, y, -1);
        if (length == 257 || length == 8200) { // away from multiples of 16 bytes
            strided_data<T> apart({3, length}, 1);
            check(apart, y, -1);
        }
    }
    strided_data<T> columns({5, 130, 3});
    strided_data<O> of_columns({5, 130, 3});
    check(columns, of_columns, 1);
    strided_data<T> reversed({2, 3, 40}, {-40, 100, -2});
    strided_data<O> transposed({2, 3, 40}, {1, 80, 2});
    check(reversed, transposed, 2);
    strided_data<T> one_for_all({4, 2, 24}, {0, 24, 1});
    strided_data<O> each({4, 2, 24});
    check(one_for_all, each, -1);
    strided_data<T> eight({2, 1, 2, 1, 3, 2, 1, 16});
    strided_data<O> eight_too({2, 1, 2, 1, 3, 2, 1, 16}, {16, 5, 32, 5, 64, 192, 5, 1});
    check(eight, eight_too, -1);
    strided_data<T> empty({0, 5});
    strided_data<O> empty_too({0, 5});
    check(empty, empty_too, -1);

    constexpr float infinity = __builtin_huge_valf(), nan = __builtin_nanf("");
    for (const long_index_t length : {20, 20000}) {
        strided_data<T> x({6, length});
        strided_data<O> y({6, length});
        fill(x);
        const auto set = [&](long_index_t r, long_index_t i, float value) {
            x.tensor.data[r * length + i] = convert<T>(value);
        };
        set(0, 3, -infinity);
        set(1, length - 1, nan);
        set(2, 5, infinity);
        for (long_index_t i = 0; i < length; ++i)
            set(3, i, -infinity);
        for (long_index_t i = 0; i < length; ++i)
            set(4, i, i == length - 2 ? 1.0f : -infinity);
        check_softmax<tiles, Form>(x, y, -1);
    }
}

/// For rows whose bytes are whole sectors, no access takes more sectors than its bytes. Each element has `loaded` and
/// `stored` bytes; `more_loaded` and `more_stored` are sectors of other tensors.
template <class Target, class Device>
void check_sectors([[maybe_unused]] const Device& device, [[maybe_unused]] long_index_t rows, long_index_t length,
                   [[maybe_unused]] std::size_t loaded, [[maybe_unused]] std::size_t stored,
                   [[maybe_unused]] long_index_t more_loaded = 0, [[maybe_unused]] long_index_t more_stored = 0)
{
    if constexpr (counts_sectors<Target>) {
        if (length % 32 != 0)
            return;
        const auto sectors = [&](std::size_t bytes) { return rows * length * static_cast<long_index_t>(bytes) / 32; };
        CHECK(device.result.counters.global_load_sectors == sectors(loaded) + more_loaded);
        CHECK(device.result.counters.global_store_sectors == sectors(stored) + more_stored);
    }
}

/// Waves that a row of this length has in the tile that suits it: each reads what belongs to the row for itself.
template <class Target, class Tiles>
long_index_t waves_of_row(Tiles tiles, long_index_t length, int vector)
{
    const int chosen = choose_row_tile(tiles, static_cast<index_t>(length), vector);
    return with_row_tile(tiles, max(chosen, 0), [](auto* tile) {
        return max(1, std::remove_pointer_t<decltype(tile)>::threads_of_row / Target::wave_size);
    });
}

/// A row that fits is read once and written once, and no access takes more sectors than its bytes.
template <class Target, class T, class O>
void check_softmax_sectors()
{
    using tiles = row_tiles_for<Target, row_vector<T, O>>;
    for (const long_index_t length : {64, 512, 4096, 8192, 65536}) {
        strided_data<T> x({4, length});
        strided_data<O> y({4, length});
        fill(x);
        const auto device = check_softmax<tiles, softmax_form::softmax>(x, y, -1);
        INFO("rows of " << length);
        check_sectors<Target>(device, 4, length, (length <= 8192 ? 1 : 2) * sizeof(T), sizeof(O));
    }
}

/// Norms with everything that is fused; the mean is far from 0, where squares would cancel.
template <class Target, class Tiles, norm_kind Kind, class T, class O>
void check_norm(long_index_t rows, long_index_t length, bool fused, double mean = 0)
{
    INFO(rows << " rows of " << length << (fused ? ", fused" : ""));
    strided_data<T> x({rows, length}), residual({rows, length}), sum({rows, length}), weight({length}), bias({length}),
        smooth({length}, length % 32 == 0 ? 0 : 1);
    strided_data<O> y({rows, length});
    strided_data<float> means({rows}), deviations({rows}), scales({rows});
    fill(x, mean);
    fill(residual);
    fill(weight);
    fill(bias, 1);
    fill(smooth, 3);
    norm_arguments<T, O> a;
    a.x = x.input();
    a.y = y.tensor;
    a.mean = means.tensor.data;
    a.inverse_deviation = deviations.tensor.data;
    a.scale = scales.tensor.data;
    if (fused) {
        a.residual = residual.input();
        a.sum = length % 2 == 0 ? residual.tensor : sum.tensor; // in place, too
        a.weight = weight.input();
        a.bias = bias.input();
        a.smooth = smooth.input();
    }
    std::vector<row_of_doubles> inputs;
    for (long_index_t r = 0; r < rows; ++r) {
        row_of_doubles row = x.values(r, -1);
        const row_of_doubles more = residual.values(r, -1);
        for (std::size_t i = 0; fused && i < row.size(); ++i)
            row[i] = static_cast<double>(convert<float>(convert<T>(static_cast<float>(row[i] + more[i]))));
        inputs.push_back(std::move(row));
    }
    device_of<Target> device;
    require_ran(launch(device, norm_kernels<Tiles, Kind>{}, a), device);
    if (length >= 256 && length <= 8192) // everything is read once; a wave has one row, whose statistics it writes
        check_sectors<Target>(device, rows, length, (fused ? 5 : 1) * sizeof(T), sizeof(O) + (fused ? sizeof(T) : 0), 0,
                              rows * (has_row_scale<O> ? 3 : 2));
    for (long_index_t r = 0; r < rows; ++r) {
        INFO("row " << r);
        const auto& row = inputs[static_cast<std::size_t>(r)];
        const row_of_doubles w = fused ? weight.values(0, 0) : row_of_doubles{};
        row_of_doubles exact =
            reference_norm(Kind, row, w, fused ? bias.values(0, 0) : row_of_doubles{}, static_cast<double>(a.epsilon));
        const row_of_doubles factors = smooth.values(0, 0);
        for (std::size_t i = 0; fused && i < exact.size(); ++i)
            exact[i] *= factors[i];
        if (fused)
            check_row(a.sum.data == sum.tensor.data ? sum.row(r, -1) : residual.row(r, -1), row, 0, 0);
        const row_statistics of = reference_statistics(Kind, row, static_cast<double>(a.epsilon));
        const double error = 1e-5 + std::fabs(mean) * 1e-6;
        if (Kind == norm_kind::layer)
            CHECK(std::fabs(means.tensor.data[r] - of.mean) <= 1e-6 * (std::fabs(mean) + 4));
        if (Kind != norm_kind::none)
            CHECK(std::fabs(deviations.tensor.data[r] - of.inverse_deviation) <= error * of.inverse_deviation);
        if constexpr (has_row_scale<O>) {
            double most = 0;
            for (const double v : exact)
                most = std::fmax(most, std::fabs(v));
            const double scale = most / static_cast<double>(number_traits<O>::max());
            CHECK(std::fabs(scales.tensor.data[r] - scale) <= error * scale);
            for (double& v : exact)
                v = scale > 0 ? v / scale : 0;
            check_row(y.row(r, -1), exact, number_traits<O>::is_float ? 1e-4 : 0, 0.51);
        } else {
            check_row(y.row(r, -1), exact, error, 40 * error);
        }
    }
}

/// Gradients, and the same bits for dweight and dbias in a second run.
template <class Target, class Tiles, norm_kind Kind, class T>
void check_norm_backward(long_index_t rows, long_index_t length, long_index_t gap = 3)
{
    INFO("gradients of " << rows << " rows of " << length);
    strided_data<T> x({rows, length}), weight({length});
    strided_data<float> dx({rows, length}), means({rows}), deviations({rows}), dweight({length}), dbias({length});
    strided_data<T> dy({rows, length}, {length + gap, 1});
    fill(x, 2);
    fill(weight);
    fill(dy);
    norm_backward_arguments<T, float> a;
    a.dy = dy.input();
    a.x = x.input();
    a.dx = dx.tensor;
    a.weight = weight.input();
    a.mean = means.tensor.data;
    a.inverse_deviation = deviations.tensor.data;
    a.dweight = dweight.tensor.data;
    a.dbias = dbias.tensor.data;
    std::vector<float> workspace(static_cast<std::size_t>(norm_workspace_size(a)));
    a.workspace = workspace.data();
    row_of_doubles sums(static_cast<std::size_t>(length)), more(static_cast<std::size_t>(length));
    std::vector<row_of_doubles> gradients;
    for (long_index_t r = 0; r < rows; ++r) {
        const row_of_doubles row = x.values(r, -1);
        const row_statistics of = reference_statistics(Kind, row, 1e-5);
        means.tensor.data[r] = static_cast<float>(of.mean);
        deviations.tensor.data[r] = static_cast<float>(of.inverse_deviation);
        const reference_norm_gradients g(Kind, row, weight.values(0, 0), dy.values(r, -1), 1e-5);
        gradients.push_back(g.dx);
        for (std::size_t i = 0; i < row.size(); ++i)
            sums[i] += g.dweight[i], more[i] += g.dbias[i];
    }
    device_of<Target> device;
    const auto run = [&] {
        require_ran(launch(device, norm_backward_kernels<Tiles, strip_tile_for<Target>, Kind>{}, a), device);
    };
    run();
    if (gap == 0) { // dx is made of dy, x and weight, read once, the sums of dy and x, added up over the workspace
        const long_index_t row_of_floats = length * 4 / 32, runs = norm_gradient_runs(rows);
        using strip = strip_tile_for<Target>;
        long_index_t columns = strip::columns;
        if constexpr (Target::wave_size > 1) {
            using wide = vector_strip_of<strip>;
            if (length % wide::vector == 0)
                columns = wide::columns;
        }
        const long_index_t waves = waves_of_row<Target>(Tiles{}, length, row_vector<T, float>) +
                                   ceil_div(length, columns) * max(1, strip::threads_of_row / Target::wave_size);
        const long_index_t statistics = rows * waves * (Kind == norm_kind::layer ? 2 : 1);
        check_sectors<Target>(device, rows, length, 5 * sizeof(T), sizeof(float), 2 * runs * row_of_floats + statistics,
                              2 * (runs + 1) * row_of_floats);
    }
    for (long_index_t r = 0; r < rows; ++r)
        check_row(dx.row(r, -1), gradients[static_cast<std::size_t>(r)], 1e-5, 1e-4);
    check_row(dweight.row(0, 0), sums, 1e-5, 1e-3);
    check_row(dbias.row(0, 0), more, 1e-5, 1e-3);
    const std::vector<float> first = dweight.memory;
    run();
    CHECK(first == dweight.memory);
}

/// Losses of rows, one of them of an ignored label, one of a label that is no class, and their gradients.
template <class Target, class T>
void check_cross_entropy(long_index_t rows, long_index_t length)
{
    using tiles = few_row_tiles_for<Target, row_vector<T, T>>;
    INFO("cross-entropy of " << rows << " rows of " << length);
    strided_data<T> x({rows, length}), dx({rows, length});
    strided_data<float> losses({rows}), log_sums({rows}), slopes({rows});
    fill(x, 1);
    fill(slopes);
    std::vector<long_index_t> labels;
    for (long_index_t r = 0; r < rows; ++r)
        labels.push_back(r == 1 ? -100 : r == 2 ? length : r * 37 % length);
    cross_entropy_arguments<T> a;
    a.x = x.input();
    a.labels = labels.data();
    a.losses = losses.tensor.data;
    a.log_sum = log_sums.tensor.data;
    a.dx = dx.tensor;
    a.d_losses = slopes.tensor.data;
    device_of<Target> device;
    require_ran(launch(device, cross_entropy_kernels<tiles>{}, a), device);
    // All else is a label's logit, a loss and the sum's logarithm of each row; and what each of its waves reads for
    // itself: the label, and in the backward pass the sum's logarithm and the slope, too.
    const bool fits = length <= 4096 && length % 32 == 0;
    const long_index_t of_waves = rows * waves_of_row<Target>(tiles{}, length, row_vector<T, T>);
    if (fits)
        check_sectors<Target>(device, rows, length, sizeof(T), 0, rows - 2 + of_waves, 2 * rows);
    require_ran(launch(device, cross_entropy_backward_kernels<tiles>{}, a), device);
    if (fits) // both passes
        check_sectors<Target>(device, rows, length, 2 * sizeof(T), sizeof(T), rows - 2 + 4 * of_waves, 2 * rows);
    for (long_index_t r = 0; r < rows; ++r) {
        const row_of_doubles row = x.values(r, -1);
        const long_index_t label = labels[static_cast<std::size_t>(r)];
        const bool is_class = label >= 0 && label < length;
        const reference_exponentials of(row);
        CHECK(std::fabs(log_sums.tensor.data[r] - (of.greatest + of.log_sum)) < 1e-5);
        row_of_doubles gradient = reference_softmax(row);
        for (std::size_t i = 0; i < row.size(); ++i)
            gradient[i] = r == 1 ? 0
                                 : (gradient[i] - (static_cast<long_index_t>(i) == label)) *
                                       (is_class ? static_cast<double>(slopes.tensor.data[r]) : std::nan(""));
        check_row(dx.row(r, -1), gradient, 1e-5, 1e-5);
        const double loss = r == 1     ? 0
                            : is_class ? -of.logarithm_of(row[static_cast<std::size_t>(label)])
                                       : std::nan("");
        check_row(std::vector<float*>{losses.tensor.data + r}, {loss}, 0, 1e-5);
    }
}

/// The gradient of softmax or log-softmax along a dimension, in memory of its own or in dy's place.
template <class Target, class T, softmax_form Form>
void check_softmax_backward(long_index_t rows, long_index_t length, bool in_place, int axis = -1)
{
    using tiles = few_row_tiles_for<Target, row_vector<T, T>>;
    constexpr bool logarithm = Form == softmax_form::log_softmax;
    INFO("gradient of " << rows << " rows of " << length << " along " << axis);
    const long_index_t height = axis == 0 ? length : rows, width = axis == 0 ? rows : length;
    strided_data<T> x({height, width}), y({height, width}), dy({height, width}), own({height, width});
    fill(x);
    fill(dy, 0.5);
    strided_data<T>& dx = in_place ? dy : own;
    std::vector<row_of_doubles> exact;
    for (long_index_t r = 0; r < rows; ++r) {
        const row_of_doubles of_y = reference_softmax(x.values(r, axis), logarithm), of_dy = dy.values(r, axis);
        const std::vector<T*> stored = y.row(r, axis);
        row_of_doubles gradient(of_y.size());
        double sum = 0;
        for (std::size_t i = 0; i < of_y.size(); ++i) {
            *stored[i] = convert<T>(static_cast<float>(of_y[i]));
            gradient[i] = static_cast<double>(convert<float>(*stored[i])); // the kernel's y
            sum += logarithm ? of_dy[i] : of_dy[i] * gradient[i];
        }
        for (std::size_t i = 0; i < of_y.size(); ++i)
            gradient[i] = logarithm ? of_dy[i] - std::exp(gradient[i]) * sum : gradient[i] * (of_dy[i] - sum);
        exact.push_back(gradient);
    }
    softmax_backward_arguments<T> a;
    a.dy = dy.input();
    a.y = y.input();
    a.dx = dx.tensor;
    a.axis = axis;
    device_of<Target> device;
    require_ran(launch(device, softmax_backward_kernels<tiles, Form>{}, a), device);
    if (axis == -1 && length <= 4096)
        check_sectors<Target>(device, rows, length, 2 * sizeof(T), sizeof(T));
    for (long_index_t r = 0; r < rows; ++r) {
        INFO("row " << r);
        check_row(dx.row(r, axis), exact[static_cast<std::size_t>(r)], 1e-4, logarithm ? 1e-5 : 1e-7);
    }
}

/// The k largest with ties, NaN and infinities.
template <class Target, class T>
void check_topk_softmax(long_index_t rows, long_index_t length, index_t k, bool renormalize)
{
    using tiles = few_row_tiles_for<Target, row_vector<T, float>>;
    INFO("the " << k << " largest of " << rows << " rows of " << length);
    strided_data<T> x({rows, length});
    strided_data<float> weights({rows, k});
    fill(x); // 256 values: ties
    if (length > 3) {
        x.tensor.data[0] = convert<T>(__builtin_nanf(""));
        x.tensor.data[length + 2] = convert<T>(-__builtin_huge_valf());
    }
    std::vector<long_index_t> indices(static_cast<std::size_t>(rows * k));
    device_of<Target> device;
    require_ran(launch(device, topk_softmax_kernels<tiles>{},
                       topk_softmax_arguments<T>{x.input(), -1, k, renormalize, weights.tensor.data, indices.data()}),
                device);
    if constexpr (counts_sectors<Target>)
        if (length % 32 == 0 && length <= 8192)
            CHECK(device.result.counters.global_load_sectors ==
                  rows * length * static_cast<long_index_t>(sizeof(T)) / 32);
    for (long_index_t r = 0; r < rows; ++r) {
        INFO("row " << r);
        std::vector<long_index_t> order;
        const row_of_doubles exact =
            reference_topk_softmax(x.values(r, -1), static_cast<std::size_t>(k), renormalize, order);
        check_row(weights.row(r, -1), exact, 1e-5, 1e-8);
        for (index_t i = 0; i < k; ++i)
            CHECK(indices[static_cast<std::size_t>(r * k + i)] == order[static_cast<std::size_t>(i)]);
    }
}

} // namespace tegula::test
