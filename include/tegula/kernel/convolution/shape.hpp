#pragma once

#include <tegula/core/array.hpp>
#include <tegula/core/config.hpp>

namespace tegula {

/// Sizes of a convolution over images of Dims dimensions: 2 for NHWC, 3 for NDHWC. Arrays have the outermost dimension
/// first. `padding` is the padding before the image; the padding after it follows from `output`.
template <int Dims>
struct convolution_shape
{
    long_index_t images = 1;
    long_index_t channels = 1;         ///< of the input, C
    long_index_t filters = 1;          ///< channels of the output, K
    long_index_t groups = 1;           ///< divides channels and filters
    array<long_index_t, Dims> image{}; ///< of the input
    array<long_index_t, Dims> filter{};
    array<long_index_t, Dims> output{}; ///< output_lengths()
    array<long_index_t, Dims> stride{};
    array<long_index_t, Dims> padding{};
    array<long_index_t, Dims> dilation{};

    /// Channels and filters of one group.
    constexpr TEGULA_HOST_DEVICE long_index_t group_channels() const { return channels / groups; }
    constexpr TEGULA_HOST_DEVICE long_index_t group_filters() const { return filters / groups; }
    /// Elements of a filter in one channel.
    constexpr TEGULA_HOST_DEVICE long_index_t taps() const { return volume(filter); }
    /// Pixels of all input images, and of all outputs.
    constexpr TEGULA_HOST_DEVICE long_index_t image_pixels() const { return images * volume(image); }
    constexpr TEGULA_HOST_DEVICE long_index_t output_pixels() const { return images * volume(output); }

    static constexpr TEGULA_HOST_DEVICE long_index_t volume(const array<long_index_t, Dims>& lengths)
    {
        long_index_t v = 1;
        for (const long_index_t l : lengths)
            v *= l;
        return v;
    }
};

/// Lengths of the output with the shape's padding before the image and `behind` pixels after it, rounded down. They
/// are those of cuDNN and PyTorch, floor((image + padding + behind - dilation (filter - 1) - 1) / stride) + 1, and 0 if
/// the filter is larger than the padded image.
template <int Dims>
constexpr array<long_index_t, Dims> output_lengths(const convolution_shape<Dims>& s,
                                                   const array<long_index_t, Dims>& behind)
{
    array<long_index_t, Dims> lengths{};
    for (int i = 0; i < Dims; ++i) {
        const long_index_t room = s.image[i] + s.padding[i] + behind[i] - s.dilation[i] * (s.filter[i] - 1) - 1;
        lengths[i] = room < 0 ? 0 : room / s.stride[i] + 1;
    }
    return lengths;
}
/// With the same padding on both sides.
template <int Dims>
constexpr array<long_index_t, Dims> output_lengths(const convolution_shape<Dims>& s)
{
    return output_lengths(s, s.padding);
}

/// Which of the three products of a convolution Y = X * W.
enum class convolution_direction {
    forward,         ///< Y, from X and W
    backward_data,   ///< the gradient of X, from the gradient of Y and W
    backward_weight, ///< the gradient of W, from X and the gradient of Y
};

/// Images in memory. The channels of a pixel are adjacent. Strides are in elements.
template <class T, int Dims>
struct image_argument
{
    T* data = nullptr;
    long_index_t image_stride = 0;
    array<long_index_t, Dims> strides{}; ///< of pixels along each dimension of an image
};

/// Images without gaps.
template <class T, int Dims>
constexpr image_argument<T, Dims> make_images(T* data, const array<long_index_t, Dims>& lengths, long_index_t channels)
{
    image_argument<T, Dims> x{data, 0, {}};
    long_index_t stride = channels;
    for (int i = Dims - 1; i >= 0; --i) {
        x.strides[i] = stride;
        stride *= lengths[i];
    }
    x.image_stride = stride;
    return x;
}

} // namespace tegula
