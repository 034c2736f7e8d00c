#pragma once

/// Elementwise operations, rotary embedding, permutation, gathering and pooling on a device against their formulas.

#include <tegula/host/launch.hpp>
#include <tegula/reduction.hpp>

#include "test/gpu/device_data.hpp"

namespace tegula::test {

/// The activation of a gated layer with a bias, gate and up of 16 bits or more.
template <class Target>
struct gated_activation
{
    TEGULA_INLINE float operator()(float gate, float up, float bias) const { return silu<Target>(gate) * up + bias; }
};

/// output [rows, columns] = silu(gate) * up + bias, the bias [columns] repeated.
template <class T>
struct gated_formula
{
    const T* gate;
    const T* up;
    const T* bias;
    const T* output;
    long_index_t rows, columns;

    TEGULA_HOST_DEVICE long_index_t count() const { return rows * columns; }
    TEGULA_HOST_DEVICE double found(long_index_t i) const { return wide(output[i]); }
    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        const double g = wide(gate[i]), u = wide(up[i]), b = wide(bias[i % columns]);
        const double value = g / (1 + std::exp(-g)) * u + b;
        const double bound = 16 * 0x1p-24 * std::fabs(g * u) + 0x1p-23 * (std::fabs(value) + std::fabs(b));
        return {value, bound + tegula::detail::storing_error<T>(std::fabs(value) + bound)};
    }
};

/// Rows [rows, columns] whose pairs (i, i + columns / 2) turn by position * base^(-2 i / columns); one position a row.
template <class T>
struct rotary_formula
{
    const T* input;
    const T* output;
    const long_index_t* positions;
    long_index_t rows, columns;
    double log_base;

    TEGULA_HOST_DEVICE long_index_t count() const { return rows * columns; }
    TEGULA_HOST_DEVICE double found(long_index_t i) const { return wide(output[i]); }
    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        const long_index_t row = i / columns, column = i % columns, half = columns / 2, pair = column % half;
        const double low = wide(input[row * columns + pair]), high = wide(input[row * columns + pair + half]);
        const auto position = static_cast<double>(positions[row]);
        const double angle =
            position * std::exp(-2.0 * static_cast<double>(pair) / static_cast<double>(columns) * log_base);
        const double c = std::cos(angle), s = std::sin(angle);
        const double value = column < half ? low * c - high * s : low * s + high * c;
        // Errors of float's sine and cosine, and of the angle here in double.
        const double bound = (0x1p-21 + 0x1p-50 * position) * (std::fabs(low) + std::fabs(high));
        return {value, bound + tegula::detail::storing_error<T>(std::fabs(value) + bound)};
    }
};

/// output [c, a, b] of an input [a, b, c]. Exact.
template <class T>
struct permuted_formula
{
    const T* input;
    const T* output;
    long_index_t a, b, c;

    TEGULA_HOST_DEVICE long_index_t count() const { return a * b * c; }
    TEGULA_HOST_DEVICE double found(long_index_t i) const { return wide(output[i]); }
    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        return {wide(input[i % (a * b) * c + i / (a * b)]), 0};
    }
};

/// Rows of a table [table_rows, columns] by index; behind the elements the number of indices that are none. Exact.
template <class T>
struct gathered_formula
{
    const T* table;
    const std::int32_t* indices;
    const T* output;
    const int* out_of_range;
    long_index_t rows, columns, table_rows;

    TEGULA_HOST_DEVICE long_index_t row_of(long_index_t i) const
    {
        return indices[i] < 0 ? indices[i] + table_rows : indices[i];
    }
    TEGULA_HOST_DEVICE bool inside(long_index_t row) const { return row_of(row) >= 0 && row_of(row) < table_rows; }
    TEGULA_HOST_DEVICE long_index_t count() const { return rows * columns + 1; }
    TEGULA_HOST_DEVICE double found(long_index_t i) const
    {
        return i < rows * columns ? wide(output[i]) : static_cast<double>(*out_of_range);
    }
    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        const long_index_t row = i / columns;
        if (row < rows)
            return {inside(row) ? wide(table[row_of(row) * columns + i % columns]) : 0, 0};
        long_index_t outside = 0;
        for (long_index_t r = 0; r < rows; ++r)
            outside += !inside(r);
        return {static_cast<double>(outside), 0};
    }
};

/// Windows of images [images, height, width, channels].
template <class T>
struct pooled_formula
{
    pooling_arguments<T> args;

    TEGULA_HOST_DEVICE long_index_t count() const { return args.output.size(); }
    TEGULA_HOST_DEVICE double found(long_index_t i) const { return wide(args.output.data[i]); }
    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        const auto& to = args.output.lengths;
        const auto& from = args.input.lengths;
        const long_index_t channel = i % to[3], x = i / to[3] % to[2], y = i / to[3] / to[2] % to[1];
        const long_index_t image = i / to[3] / to[2] / to[1];
        const bool largest_wanted = args.kind == pooling::maximum;
        double sum = 0, magnitude = 0, largest = -HUGE_VAL, inside = 0;
        for (index_t dy = 0; dy < args.window[0]; ++dy)
            for (index_t dx = 0; dx < args.window[1]; ++dx) {
                const long_index_t v = y * args.stride[0] - args.padding[0] + dy;
                const long_index_t u = x * args.stride[1] - args.padding[1] + dx;
                if (v < 0 || v >= from[1] || u < 0 || u >= from[2])
                    continue;
                const double element = wide(args.input.data[((image * from[1] + v) * from[2] + u) * from[3] + channel]);
                sum += element;
                magnitude += std::fabs(element);
                largest = std::fmax(largest, element);
                ++inside;
            }
        if (largest_wanted)
            return {largest, 0};
        const double divisor = args.count_padding ? args.window[0] * args.window[1] : inside;
        const double bound = (inside + 2) * 0x1p-23 * magnitude / divisor;
        return {sum / divisor, bound + tegula::detail::storing_error<T>(std::fabs(sum / divisor) + bound)};
    }
};

/// Lengths of a tensor of three dimensions; the last is even.
struct shape_sizes
{
    long_index_t a, b, c;
};

/// All of them on tensors of these lengths.
template <class Target, class T, kernel_choice Choice, class Device>
std::string check_shapes(Device& device, const shape_sizes& size, std::uint64_t seed)
{
    arrays_on<Target, Device> on(device);
    const long_index_t rows = size.a * size.b, count = rows * size.c, table_rows = rows / 2 + 1;
    random_source random(9 * seed + 801);
    std::vector<long_index_t> positions;
    std::vector<std::int32_t> indices;
    for (long_index_t r = 0; r < rows; ++r) {
        positions.push_back(random.integer(0, 1 << 20));
        indices.push_back(static_cast<std::int32_t>(random.integer(-table_rows - 1, table_rows)));
    }
    constexpr double base = 10000;
    std::vector<std::uint64_t> turns(static_cast<std::size_t>(size.c / 2));
    make_rotary_turns(turns.data(), size.c, base);
    const T* const x = on.template uniform<T>(count, 9 * seed + 802);
    const T* const up = on.template uniform<T>(count, 9 * seed + 803);
    const T* const bias = on.template uniform<T>(size.c, 9 * seed + 804);
    const auto* const at = on.put(positions);
    const auto* const index = on.put(indices);
    const auto* const angles = on.put(turns);
    int* const outside = on.put(std::vector<int>{0});
    pooling_arguments<T> pool{pooling::average, make_tensor_argument(x, {1, size.a, size.b, size.c}), {}};
    pool.window[0] = 3, pool.window[1] = 2, pool.stride[0] = 2, pool.padding[0] = 1, pool.padding[1] = 1;
    const long_index_t pooled[] = {pooled_length(size.a, 3, 2, 1), pooled_length(size.b, 2, 1, 1)};
    T* const y = on.template room<T>(max(count, pooled[0] * pooled[1] * size.c));
    pool.output = make_tensor_argument(y, {1, pooled[0], pooled[1], size.c});
    if (!on.error)
        return on.error.message();

    const auto matrix = [&](auto* data) { return make_tensor_argument(data, {rows, size.c}); };
    const auto check = [&](const char* what, const status& launched, const auto& formula) {
        return launched ? check_formula<Target>(device, what, formula) : std::string(what) + ": " + launched.message();
    };
    const auto check_pooling = [&](const char* what, pooling kind, bool count_padding) {
        pool.kind = kind, pool.count_padding = count_padding;
        return check(what, launch(device, pooling_kernels<Target>{}, pool), pooled_formula<T>{pool});
    };
    return first_wrong(
        [&] {
            auto args = make_elementwise_arguments(gated_activation<Target>{}, matrix(y), matrix(x), matrix(up),
                                                   make_tensor_argument(bias, {size.c}));
            return check("elementwise", launch(device, elementwise_kernels<Target>{}, args),
                         gated_formula<T>{x, up, bias, y, rows, size.c});
        },
        [&] {
            rotary_arguments<T> args{matrix(x), matrix(y), make_tensor_argument(at, {rows}), angles};
            return check("rotary embedding", launch(device, rotary_kernels<Target>{}, args),
                         rotary_formula<T>{x, y, at, rows, size.c, std::log(base)});
        },
        [&] {
            permute_arguments<T> args{make_tensor_argument(x, {size.a, size.b, size.c}),
                                      make_tensor_argument(y, {size.c, size.a, size.b}),
                                      {2, 0, 1}};
            return check("permute", launch(device, permute_kernels<Target>{}, args),
                         permuted_formula<T>{x, y, size.a, size.b, size.c});
        },
        [&] {
            gather_arguments<T, std::int32_t> args{make_tensor_argument(x, {table_rows, size.c}),
                                                   make_tensor_argument(index, {rows}), matrix(y), outside};
            return check("gather", launch(device, gather_kernels<Target, Choice>{}, args),
                         gathered_formula<T>{x, index, y, outside, rows, size.c, table_rows});
        },
        [&] { return check_pooling("average", pooling::average, false); },
        [&] { return check_pooling("average with the padding", pooling::average, true); },
        [&] { return check_pooling("maximum", pooling::maximum, false); });
}

/// Rows in vectors, odd rows, and where the device is fast many of both.
inline std::vector<shape_sizes> shape_cases(bool fast)
{
    std::vector<shape_sizes> cases = {{3, 35, 48}, {5, 7, 18}};
    if (fast)
        cases.insert(cases.end(), {{32, 513, 1024}, {40, 1001, 130}});
    return cases;
}

/// check(sizes) of each; what is wrong with the first that fails.
template <class Check>
std::string check_each(const std::vector<shape_sizes>& cases, const Check& check)
{
    for (const shape_sizes& s : cases)
        if (std::string wrong = check(s); !wrong.empty())
            return std::to_string(s.a) + " x " + std::to_string(s.b) + " x " + std::to_string(s.c) + ": " + wrong;
    return {};
}

} // namespace tegula::test
