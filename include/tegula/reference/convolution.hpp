#pragma once

#include <tegula/kernel/convolution/product.hpp>

#include <vector>

/// Convolutions in double, straight from their definition: a loop over every output, filter and tap.

namespace tegula {

/// Sums and, for error bounds, the sums of magnitudes, packed, one of each per element.
struct convolution_result
{
    std::vector<double> values, magnitudes;
};

namespace detail {

/// Element index of (image, position..., channel) in packed images; -1 outside them.
template <int Dims>
long_index_t packed_place(long_index_t image, const array<long_index_t, Dims>& position, long_index_t channel,
                          const array<long_index_t, Dims>& lengths, long_index_t channels)
{
    long_index_t place = image;
    for (int d = 0; d < Dims; ++d) {
        if (position[d] < 0 || position[d] >= lengths[d])
            return -1;
        place = place * lengths[d] + position[d];
    }
    return place * channels + channel;
}

/// Calls f(index...) for every index below the lengths, the last dimension fastest.
template <int Dims, class F>
void for_each_position(const array<long_index_t, Dims>& lengths, const F& f)
{
    const long_index_t all = convolution_shape<Dims>::volume(lengths);
    for (long_index_t i = 0; i < all; ++i) {
        array<long_index_t, Dims> x{};
        long_index_t rest = i;
        for (int d = Dims - 1; d >= 0; --d) {
            x[d] = rest % lengths[d];
            rest /= lengths[d];
        }
        f(x);
    }
}

/// Calls f(index in x, index in w, index in y) for every product of the convolution; all three are packed.
template <int Dims, class F>
void for_each_product(const convolution_shape<Dims>& s, const F& f)
{
    const long_index_t c = s.group_channels(), k = s.group_filters();
    for (long_index_t image = 0; image < s.images; ++image)
        for_each_position(s.output, [&](const auto& out) {
            for (long_index_t filter = 0; filter < s.filters; ++filter) {
                const long_index_t y = packed_place(image, out, filter, s.output, s.filters);
                for_each_position(s.filter, [&](const auto& tap) {
                    array<long_index_t, Dims> in{};
                    for (int d = 0; d < Dims; ++d)
                        in[d] = out[d] * s.stride[d] - s.padding[d] + tap[d] * s.dilation[d];
                    const long_index_t x = packed_place(image, in, filter / k * c, s.image, s.channels);
                    const long_index_t w = packed_place(filter, tap, 0, s.filter, c);
                    if (x >= 0)
                        for (long_index_t channel = 0; channel < c; ++channel)
                            f(x + channel, w + channel, y);
                });
            }
        });
}

} // namespace detail

/// The result of a direction from its packed inputs: (x, w), (dy, w) or (x, dy).
template <int Dims>
convolution_result reference_convolution(convolution_direction direction, const convolution_shape<Dims>& s,
                                         const std::vector<double>& first, const std::vector<double>& second)
{
    const long_index_t sizes[] = {s.output_pixels() * s.filters, s.image_pixels() * s.channels,
                                  s.filters * s.taps() * s.group_channels()};
    const auto size = static_cast<std::size_t>(sizes[static_cast<int>(direction)]);
    convolution_result r{std::vector<double>(size), std::vector<double>(size)};
    detail::for_each_product(s, [&](long_index_t x, long_index_t w, long_index_t y) {
        const long_index_t places[3][3] = {{x, w, y}, {y, w, x}, {x, y, w}};
        const auto& at = places[static_cast<int>(direction)];
        const double product = first[static_cast<std::size_t>(at[0])] * second[static_cast<std::size_t>(at[1])];
        r.values[static_cast<std::size_t>(at[2])] += product;
        r.magnitudes[static_cast<std::size_t>(at[2])] += product < 0 ? -product : product;
    });
    return r;
}

} // namespace tegula
