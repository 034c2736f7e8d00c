#pragma once

#include <tegula/kernel/convolution/shape.hpp>
#include <tegula/kernel/gemm/can_implement.hpp>

namespace tegula::convolution_checks {

/// Positions in an image, and shifts that are added to them, stay below this.
inline constexpr long_index_t position_limit = long_index_t{1} << 30;

/// Whether the sizes are those of a convolution: its output fits its image, groups divide the channels, products and
/// positions fit the kernels' 32 bits.
template <int Dims>
status check_shape(const convolution_shape<Dims>& s)
{
    using gemm_checks::invalid;
    const char* const names[] = {"images", "channels", "filters"};
    const long_index_t sizes[] = {s.images, s.channels, s.filters};
    for (int i = 0; i < 3; ++i)
        if (status bad = gemm_checks::check_size(names[i], sizes[i]); !bad)
            return bad;
    if (s.groups < 1)
        return invalid("groups is ") << s.groups << "; a convolution has at least 1";
    if (s.channels % s.groups != 0 || s.filters % s.groups != 0)
        return invalid("groups is ") << s.groups << ", which does not divide " << s.channels << " channels and "
                                     << s.filters << " filters; take a divisor of both";
    for (int i = 0; i < Dims; ++i) {
        const auto along = [&](const char* what) { return status(status_code::invalid_argument, what); };
        if (s.image[i] < 0)
            return along("image length ") << i << " is " << s.image[i] << "; sizes start at 0";
        if (s.filter[i] < 1)
            return along("filter length ") << i << " is " << s.filter[i] << "; a filter has at least 1 element";
        if (s.stride[i] < 1)
            return along("stride ") << i << " is " << s.stride[i] << "; it must be at least 1";
        if (s.dilation[i] < 1)
            return along("dilation ") << i << " is " << s.dilation[i] << "; it must be at least 1";
        if (s.padding[i] < 0)
            return along("padding ") << i << " is " << s.padding[i] << "; it must be at least 0";
        if (s.output[i] < 0)
            return along("output length ") << i << " is " << s.output[i] << "; sizes start at 0";
        const long_index_t most[] = {s.image[i], s.filter[i], s.stride[i], s.dilation[i], s.padding[i], s.output[i]};
        for (const long_index_t length : most)
            if (length >= position_limit)
                return status(status_code::unsupported, "dimension ")
                       << i << " has a length or step of " << length << "; the limit is " << position_limit - 1;
        const long_index_t reach =
            (s.output[i] > 0 ? (s.output[i] - 1) * s.stride[i] : 0) + (s.filter[i] - 1) * s.dilation[i];
        if (reach + s.padding[i] >= position_limit || s.image[i] + s.padding[i] >= position_limit)
            return status(status_code::unsupported, "dimension ")
                   << i << " has positions up to " << reach + s.padding[i] << "; the limit is " << position_limit - 1;
    }
    const auto product = [](long_index_t first, const array<long_index_t, Dims>& lengths) {
        for (const long_index_t l : lengths)
            first = gemm_checks::product(first, l);
        return first;
    };
    const char* const what[] = {"the number of input pixels", "the number of output pixels",
                                "the number of elements of a filter"};
    const long_index_t products[] = {product(s.images, s.image), product(s.images, s.output),
                                     product(s.channels > s.filters ? s.channels : s.filters, s.filter)};
    for (int i = 0; i < 3; ++i)
        if (status bad = gemm_checks::check_size(what[i], products[i] < 0 ? INT64_MAX : products[i]); !bad)
            return bad;
    return {};
}

/// The range of the images' elements, relative to `data`.
template <class T, int Dims>
gemm_checks::element_range range_of(const image_argument<T, Dims>& x, long_index_t images,
                                    const array<long_index_t, Dims>& lengths, long_index_t channels)
{
    if (images == 0 || channels == 0 || convolution_shape<Dims>::volume(lengths) == 0)
        return {};
    gemm_checks::element_range r{0, channels};
    const auto reach = [&](long_index_t length, long_index_t stride) {
        const long_index_t way = (length - 1) * stride;
        r.first += way < 0 ? way : 0;
        r.count += gemm_checks::absolute(way);
    };
    reach(images, x.image_stride);
    for (int i = 0; i < Dims; ++i)
        reach(lengths[i], x.strides[i]);
    return r;
}

/// Checks pointer, alignment and extent of images that are read.
template <class T, int Dims>
status check_images(const char* name, const image_argument<T, Dims>& x, long_index_t images,
                    const array<long_index_t, Dims>& lengths, long_index_t channels)
{
    using gemm_checks::invalid;
    if (images == 0 || channels == 0 || convolution_shape<Dims>::volume(lengths) == 0)
        return {};
    if (x.data == nullptr)
        return invalid(name) << " is a null pointer, but it has " << images << " images of " << channels << " channels";
    if (!gemm_checks::is_aligned(x.data, alignof(T)))
        return invalid(name) << " is not aligned to its elements of " << static_cast<int>(sizeof(T)) << " bytes";
    long_index_t sizes[Dims + 1] = {images}, strides[Dims + 1] = {x.image_stride};
    for (int i = 0; i < Dims; ++i)
        sizes[i + 1] = lengths[i], strides[i + 1] = x.strides[i];
    if (!gemm_checks::has_extent<Dims + 1>(sizes, strides, 2 * sizeof(T)))
        return invalid(name) << " with these strides reaches past 2^63 bytes; use smaller strides";
    return {};
}

/// The one stride between consecutive pixels, across rows and images; 0 if there is none.
template <class T, int Dims>
long_index_t pixel_stride(const image_argument<T, Dims>& x, long_index_t images,
                          const array<long_index_t, Dims>& lengths, long_index_t channels)
{
    long_index_t stride = 0; // of one pixel, from the innermost dimension that has several
    long_index_t pixels = 1;
    const auto follows = [&](long_index_t length, long_index_t own) {
        if (length > 1 && stride == 0)
            stride = own;
        const bool right = length <= 1 || own == stride * pixels;
        pixels *= length;
        return right;
    };
    for (int i = Dims - 1; i >= 0; --i)
        if (!follows(lengths[i], x.strides[i]))
            return 0;
    if (!follows(images, x.image_stride))
        return 0;
    return stride == 0 ? channels : stride;
}

/// Checks images that the kernel takes as a matrix [pixels, channels].
template <class T, int Dims>
status check_pixels(const char* name, const image_argument<T, Dims>& x, long_index_t images,
                    const array<long_index_t, Dims>& lengths, long_index_t channels)
{
    if (status s = check_images(name, x, images, lengths, channels); !s)
        return s;
    if (images == 0 || channels == 0 || convolution_shape<Dims>::volume(lengths) == 0)
        return {};
    const long_index_t stride = pixel_stride(x, images, lengths, channels);
    if (stride == 0)
        return status(status_code::unsupported, name) << " has pixels that do not follow each other at one stride; "
                                                         "copy it to images without gaps between rows";
    if (stride < channels)
        return gemm_checks::invalid(name) << " has pixels " << stride << " elements apart, less than its " << channels
                                          << " channels; they must not overlap";
    return {};
}

} // namespace tegula::convolution_checks
