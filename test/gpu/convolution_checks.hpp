#pragma once

/// Convolutions in their three directions on a device against their definition, and im2col.

#include <tegula/convolution.hpp>
#include <tegula/host/launch.hpp>

#include "test/gpu/kernel_checks.hpp"

namespace tegula::test {

/// An element of a convolution of packed tensors: x [images, pixels, channels], w [filters, taps, channels of a group],
/// y [images, output pixels, filters], of which two are inputs and the third, `result`, is compared.
template <class T, class C, convolution_direction Direction, int Dims>
struct convolution_formula
{
    using position = array<long_index_t, Dims>;
    static constexpr bool is_forward = Direction == convolution_direction::forward;
    static constexpr bool of_images = Direction == convolution_direction::backward_data;

    convolution_shape<Dims> shape;
    const T* first;  ///< x, of backward_data dy
    const T* second; ///< w, of backward_weight dy
    const C* result;
    double least_input, unit; ///< see product_to_check

    TEGULA_HOST_DEVICE long_index_t count() const
    {
        const long_index_t filters = shape.filters * shape.taps() * shape.group_channels();
        return is_forward  ? shape.output_pixels() * shape.filters
               : of_images ? shape.image_pixels() * shape.channels
                           : filters;
    }
    TEGULA_HOST_DEVICE double found(long_index_t i) const { return wide(result[i]); }
    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        sums s{0, 0, 0};
        const long_index_t c = shape.group_channels(), k = shape.group_filters();
        if constexpr (is_forward) {
            const long_index_t filter = i % shape.filters;
            long_index_t image = i / shape.filters;
            const position out = split(image, shape.output);
            for (long_index_t t = 0; t < shape.taps(); ++t) {
                const long_index_t pixel = pixel_under(image, out, tap(t));
                for (long_index_t j = 0; j < c && pixel >= 0; ++j)
                    add(s, first[pixel * shape.channels + filter / k * c + j],
                        second[(filter * shape.taps() + t) * c + j]);
            }
        } else if constexpr (of_images) {
            const long_index_t channel = i % shape.channels, group = channel / c;
            long_index_t image = i / shape.channels;
            const position in = split(image, shape.image);
            for (long_index_t t = 0; t < shape.taps(); ++t) {
                const long_index_t pixel = pixel_above(image, in, tap(t));
                for (long_index_t j = 0; j < k && pixel >= 0; ++j)
                    add(s, first[pixel * shape.filters + group * k + j],
                        second[((group * k + j) * shape.taps() + t) * c + channel % c]);
            }
        } else {
            const long_index_t filter = i / c / shape.taps(), t = i / c % shape.taps();
            for (long_index_t p = 0; p < shape.output_pixels(); ++p) {
                long_index_t image = p;
                const position out = split(image, shape.output);
                const long_index_t pixel = pixel_under(image, out, tap(t));
                if (pixel >= 0)
                    add(s, first[pixel * shape.channels + filter / k * c + i % c], second[p * shape.filters + filter]);
            }
        }
        return {s.value, gemm_error_bound<C>({s.terms, 1, activation::none, unit}, s.value, s.magnitude)};
    }

private:
    struct sums
    {
        double value, magnitude;
        long_index_t terms;
    };

    TEGULA_HOST_DEVICE void add(sums& s, T x, T y) const
    {
        const auto a = wide(x), b = wide(y);
        ++s.terms;
        if (std::fabs(a) < least_input || std::fabs(b) < least_input)
            return;
        s.value += a * b;
        s.magnitude += std::fabs(a * b);
    }
    /// The position that is number x of an image, whose number is left in x.
    static TEGULA_HOST_DEVICE position split(long_index_t& x, const position& lengths)
    {
        position at{};
        for (int d = Dims - 1; d >= 0; --d) {
            at[d] = x % lengths[d];
            x /= lengths[d];
        }
        return at;
    }
    TEGULA_HOST_DEVICE position tap(long_index_t number) const { return split(number, shape.filter); }

    /// The pixel of x that a tap covers at a pixel of y, and the pixel of y whose tap covers one of x; -1: none.
    TEGULA_HOST_DEVICE long_index_t pixel_under(long_index_t image, const position& out, const position& t) const
    {
        for (int d = 0; d < Dims; ++d) {
            const long_index_t at = out[d] * shape.stride[d] - shape.padding[d] + t[d] * shape.dilation[d];
            if (at < 0 || at >= shape.image[d])
                return -1;
            image = image * shape.image[d] + at;
        }
        return image;
    }
    TEGULA_HOST_DEVICE long_index_t pixel_above(long_index_t image, const position& in, const position& t) const
    {
        for (int d = 0; d < Dims; ++d) {
            const long_index_t at = in[d] + shape.padding[d] - t[d] * shape.dilation[d];
            if (at < 0 || at % shape.stride[d] != 0 || at / shape.stride[d] >= shape.output[d])
                return -1;
            image = image * shape.output[d] + at / shape.stride[d];
        }
        return image;
    }
};

/// A convolution by whichever kernel of Kernels suits: packed tensors, the result in guards of no other tensor.
template <class Target, class T, class C, convolution_direction Direction, int Dims, class Kernels, class Device>
std::string check_convolution(Device& device, const convolution_shape<Dims>& s, std::uint64_t seed)
{
    arrays_on<Target, Device> on(device);
    const long_index_t of_x = s.image_pixels() * s.channels, of_y = s.output_pixels() * s.filters;
    const long_index_t stride = s.taps() * s.group_channels(), of_w = s.filters * stride;
    constexpr bool data = Direction == convolution_direction::backward_data;
    constexpr bool weight = Direction == convolution_direction::backward_weight;
    const T* const first = on.template uniform<T>(data ? of_y : of_x, 2 * seed + 901);
    const T* const second = on.template uniform<T>(weight ? of_y : of_w, 2 * seed + 902);
    C* const result = on.template room<C>(data ? of_x : weight ? of_w : of_y);
    typename Kernels::arguments args;
    args.shape = s;
    if constexpr (data) {
        args.dy = make_images<const T, Dims>(first, s.output, s.filters);
        args.w = {second, stride};
        args.dx = make_images<C, Dims>(result, s.image, s.channels);
    } else {
        args.x = make_images<const T, Dims>(first, s.image, s.channels);
        if constexpr (weight) {
            args.dy = make_images<const T, Dims>(second, s.output, s.filters);
            args.dw = {result, stride};
        } else {
            args.w = {second, stride};
            args.y = make_images<C, Dims>(result, s.output, s.filters);
        }
    }
    status ran = on.error;
    ran = ran ? launch(device, Kernels{}, args) : ran;
    const char* const what = data ? "backward data" : weight ? "backward weight" : "forward";
    if (!ran)
        return std::string(what) + ": " + ran.message();
    return check_formula<Target>(
        device, what,
        convolution_formula<T, C, Direction, Dims>{
            s, first, second, result, least_input(arch_of<Target>(), kind_of_type<T>()), unit_of_sums<Target, T>});
}

/// The matrix that im2col writes, [output pixels, taps, channels]. Exact.
template <class T>
struct columns_formula
{
    convolution_shape<2> shape;
    const T* x;
    const T* columns;

    TEGULA_HOST_DEVICE long_index_t count() const { return shape.output_pixels() * shape.taps() * shape.channels; }
    TEGULA_HOST_DEVICE double found(long_index_t i) const { return wide(columns[i]); }
    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        const auto& s = shape;
        const long_index_t channel = i % s.channels, tap = i / s.channels % s.taps(), pixel = i / s.channels / s.taps();
        const long_index_t out[] = {pixel / s.output[1] % s.output[0], pixel % s.output[1]};
        const long_index_t taps[] = {tap / s.filter[1], tap % s.filter[1]};
        long_index_t place = pixel / s.output[1] / s.output[0];
        for (int d = 0; d < 2; ++d) {
            const long_index_t at = out[d] * s.stride[d] - s.padding[d] + taps[d] * s.dilation[d];
            if (at < 0 || at >= s.image[d])
                return {0, 0};
            place = place * s.image[d] + at;
        }
        return {wide(x[place * s.channels + channel]), 0};
    }
};

template <class Target, class T, int Vector, class Device>
std::string check_im2col(Device& device, const convolution_shape<2>& s, std::uint64_t seed)
{
    using kernel = im2col_kernel<Target, T, 2, Vector>;
    arrays_on<Target, Device> on(device);
    const long_index_t columns = s.taps() * s.channels;
    const T* const x = on.template uniform<T>(s.image_pixels() * s.channels, 2 * seed + 903);
    T* const y = on.template room<T>(s.output_pixels() * columns);
    const auto args =
        make_im2col<kernel>(s, make_images<const T, 2>(x, s.image, s.channels), matrix_argument<T>{y, columns, 1, 0});
    status ran = on.error;
    ran = ran ? launch(device, kernel{}, args) : ran;
    return ran ? check_formula<Target>(device, "im2col", columns_formula<T>{s, x, y}) : ran.message();
}

/// Two images each, of groups, strides and dilations that differ by dimension: channels in vectors, and odd ones; a large
/// one where the device is fast.
template <int Dims>
std::vector<convolution_shape<Dims>> convolution_cases(bool fast)
{
    std::vector<convolution_shape<Dims>> cases;
    if constexpr (Dims == 2) {
        cases = {{2, 32, 48, 2, {9, 7}, {3, 2}, {}, {2, 1}, {1, 1}, {1, 2}},
                 {2, 5, 6, 1, {6, 8}, {2, 3}, {}, {1, 2}, {0, 1}, {2, 1}},
                 {1, 24, 64, 1, {7, 9}, {3, 2}, {}, {1, 1}, {1, 0}, {1, 2}}};
        if (fast)
            cases.insert(cases.end(), {{4, 128, 192, 1, {56, 41}, {3, 3}, {}, {1, 1}, {1, 1}, {1, 1}},
                                       {3, 66, 70, 2, {33, 57}, {3, 5}, {}, {2, 3}, {1, 2}, {1, 1}}});
    } else {
        cases = {{2, 16, 32, 2, {4, 5, 3}, {2, 3, 1}, {}, {1, 2, 1}, {1, 1, 0}, {2, 1, 1}},
                 {1, 3, 6, 1, {3, 4, 5}, {2, 1, 3}, {}, {2, 1, 1}, {0, 0, 2}, {1, 1, 2}},
                 {1, 8, 64, 1, {3, 4, 5}, {2, 1, 3}, {}, {1, 1, 1}, {0, 0, 2}, {1, 1, 1}}};
        if (fast)
            cases.push_back({2, 64, 96, 1, {9, 23, 17}, {3, 3, 3}, {}, {1, 2, 1}, {1, 1, 1}, {1, 1, 1}});
    }
    for (auto& s : cases)
        s.output = output_lengths(s);
    return cases;
}

/// Whether convolution_kernels of the tile take the shape: persistent ones take whole vectors and, for gradients of the
/// input, strides of 1 and steps of k that lie at one tap.
template <class Tile, convolution_direction Direction, int Dims>
bool takes_convolution([[maybe_unused]] const convolution_shape<Dims>& s)
{
    if constexpr (requires { Tile::making_threads; }) {
        bool takes = s.group_channels() % 8 == 0 && s.group_filters() % 8 == 0;
        if (Direction == convolution_direction::backward_data) {
            takes = takes && s.groups == 1 && s.filters % Tile::block_k == 0;
            for (const long_index_t stride : s.stride)
                takes = takes && stride == 1;
        }
        return takes;
    } else {
        return true;
    }
}

/// check(shape) of each; what is wrong with the first that fails.
template <int Dims, class Check>
std::string check_each(const std::vector<convolution_shape<Dims>>& cases, const Check& check)
{
    for (const auto& s : cases)
        if (std::string wrong = check(s); !wrong.empty()) {
            std::string lengths;
            for (int d = 0; d < Dims; ++d)
                lengths += (d == 0 ? "" : " x ") + std::to_string(s.image[d]);
            return std::to_string(s.images) + " images of " + lengths + ", " + std::to_string(s.channels) +
                   " channels, " + std::to_string(s.filters) + " filters: " + wrong;
        }
    return {};
}

} // namespace tegula::test
