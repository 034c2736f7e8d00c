#pragma once

#include <tegula/core/magic_division.hpp>
#include <tegula/kernel/convolution/shape.hpp>
#include <tegula/kernel/gemm/prologue/operands.hpp>

/// The operands of a convolution as a product of matrices (implicit GEMM; Chetlur et al., "cuDNN: Efficient primitives
/// for deep learning", 2014, section 3). Their matrices are not in memory: the pixels under a filter, and a filter's
/// taps by channel.

namespace tegula {

/// An index split into several by their lengths, outermost first; the length of the outermost does not matter.
template <int N>
struct index_split
{
    array<magic_divisor, N - 1> lengths; ///< all but the outermost

    constexpr TEGULA_INLINE multi_index<N> operator()(index_t i) const
    {
        multi_index<N> x{};
        static_for<N - 1>([&](auto n) {
            constexpr int from_end = N - 2 - n;
            const quotient_remainder q = lengths[from_end].divide(i);
            x[from_end + 1] = q.remainder;
            i = q.quotient;
        });
        x[0] = i;
        return x;
    }
};

namespace detail {

/// A position that is outside of the image with every tap, and a tap that leads outside from every position. Positions
/// and shifts stay below 2^30, which can_implement checks; sums are taken modulo 2^32.
inline constexpr index_t no_position = -3 * (1 << 29);

/// located_source of image_rows. Pixels are the rows and taps the k, or the other way round.
template <class T, int Dims, bool Adjoint, bool PixelsAreRows>
struct image_source
{
    struct place
    {
        long_index_t offset;
        multi_index<Dims> position;
    };

    const T* data;
    index_split<Dims + 1> pixels; ///< image, position
    index_split<Dims + 1> taps;   ///< tap, channel
    array<long_index_t, Dims> strides;
    long_index_t image_stride;
    array<index_t, Dims> lengths; ///< of the image that is read
    array<index_t, Dims> stride, padding, dilation;
    array<magic_divisor, Adjoint ? Dims : 0> by_stride;
    index_t rows;
    index_t k;
    index_t first_k;
    const char* name;

    TEGULA_INLINE place row(index_t i) const { return PixelsAreRows ? pixel(i, rows) : tap(i, rows); }
    TEGULA_INLINE place column(index_t j) const { return PixelsAreRows ? tap(j, first_k + k) : pixel(j, first_k + k); }

    TEGULA_INLINE located_element<T> find(const place& row, const place& column) const
    {
        const place& p = PixelsAreRows ? row : column;
        const place& t = PixelsAreRows ? column : row;
        long_index_t offset = p.offset + t.offset;
        bool there = true;
        static_for<Dims>([&](auto d) {
            if constexpr (Adjoint) {
                const std::uint32_t x =
                    static_cast<std::uint32_t>(p.position[d]) - static_cast<std::uint32_t>(t.position[d]);
                // Not past the last output; positions before the first wrap around to large numbers.
                const bool near = x <= static_cast<std::uint32_t>((lengths[d] - 1) * stride[d]);
                const quotient_remainder q = by_stride[d].divide(near ? static_cast<index_t>(x) : 0);
                there = there && near && q.remainder == 0;
                offset += q.quotient * strides[d];
            } else {
                const std::uint32_t x =
                    static_cast<std::uint32_t>(p.position[d]) + static_cast<std::uint32_t>(t.position[d]);
                there = there && x < static_cast<std::uint32_t>(lengths[d]);
            }
        });
        return {data + offset, there};
    }

private:
    TEGULA_INLINE place pixel(index_t i, index_t end) const
    {
        const multi_index<Dims + 1> x = pixels(i);
        place p{x[0] * image_stride, {}};
        static_for<Dims>([&](auto d) {
            p.position[d] = Adjoint ? x[d + 1] + padding[d] : x[d + 1] * stride[d] - padding[d];
            if constexpr (!Adjoint)
                p.offset += p.position[d] * strides[d];
        });
        p.position[0] = i < end ? p.position[0] : no_position;
        return p;
    }
    TEGULA_INLINE place tap(index_t j, index_t end) const
    {
        const multi_index<Dims + 1> x = taps(j);
        place p{x[Dims], {}};
        static_for<Dims>([&](auto d) {
            p.position[d] = x[d] * dilation[d];
            if constexpr (!Adjoint)
                p.offset += p.position[d] * strides[d];
        });
        // The adjoint subtracts the tap from a position.
        p.position[0] = j < end ? p.position[0] : Adjoint ? -no_position : no_position;
        return p;
    }
};

/// located_source of filter_columns.
template <class T, int Dims>
struct filter_source
{
    struct place
    {
        long_index_t offset;
        bool there;
    };

    const T* data;
    index_split<Dims + 1> split; ///< tap, filter
    long_index_t filter_stride;
    array<long_index_t, Dims> tap_strides;
    index_t rows;
    index_t k;
    index_t first_k;
    const char* name;

    TEGULA_INLINE place row(index_t i) const { return {i, i < rows}; }
    TEGULA_INLINE place column(index_t j) const
    {
        const multi_index<Dims + 1> x = split(j);
        long_index_t offset = x[Dims] * filter_stride;
        static_for<Dims>([&](auto d) { offset += x[d] * tap_strides[d]; });
        return {offset, j < first_k + k};
    }
    TEGULA_INLINE located_element<T> find(const place& row, const place& column) const
    {
        return {data + (row.offset + column.offset), row.there && column.there};
    }
};

/// Whether the data and all of its strides are multiples of 16 bytes.
template <class T, int Dims>
bool is_vector_aligned(const T* data, const array<long_index_t, Dims>& strides, long_index_t one, long_index_t other)
{
    constexpr long_index_t v = 16 / static_cast<long_index_t>(sizeof(T));
    bool aligned = gemm_checks::is_aligned(data, 16) && one % v == 0 && other % v == 0;
    for (const long_index_t stride : strides)
        aligned = aligned && stride % v == 0;
    return aligned;
}

/// Declares that a range of an input's elements, relative to `data`, is read.
template <class Memory, class T>
void add_range(Memory& memory, const T* data, const gemm_checks::element_range& range, const char* name)
{
    if (data != nullptr)
        memory.read(data + range.first, static_cast<std::size_t>(range.count) * sizeof(T), name);
}

} // namespace detail

/// The pixels that a filter covers at each of its positions: element (pixel, (tap, channel)) of the matrix that im2col
/// would write, channel fastest. A batch is a group.
///
///   Adjoint        the transposed filter: each image pixel sees the outputs that it contributed to
///   PixelsAreRows  [pixels, taps * channels], else the transpose
template <class T, int Dims, bool Adjoint, bool PixelsAreRows>
struct image_rows
{
    using element_type = T;

    detail::image_source<T, Dims, Adjoint, PixelsAreRows> image{};
    index_t group_channels = 0;
    gemm_checks::element_range range{}; ///< of the images, relative to their data; used on the host only

    template <class Target, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution,
              int InstructionRows>
    using loader = located_loader<Target, detail::image_source<T, Dims, Adjoint, PixelsAreRows>, T, Rows, K, Waves,
                                  Order, ReadDistribution, InstructionRows>;

    /// Vectors lie along the channels.
    template <operand_order Order>
    static constexpr bool allows =
        Order == operand_order::any || (Order == operand_order::k_contiguous) == PixelsAreRows;

    TEGULA_INLINE auto source(const operand_part& p) const
    {
        auto s = image;
        s.data += p.batch * group_channels;
        s.rows = p.rows;
        s.k = p.k;
        s.first_k = p.first_k;
        s.name = p.name;
        return s;
    }

    /// convolution_product::check has checked the images.
    static status check(const char*, long_index_t, long_index_t, long_index_t) { return {}; }
    operand_order order(long_index_t, long_index_t, long_index_t) const
    {
        return !detail::is_vector_aligned(image.data, image.strides, group_channels, image.image_stride)
                   ? operand_order::any
               : PixelsAreRows ? operand_order::k_contiguous
                               : operand_order::row_contiguous;
    }
    template <class Memory>
    void memory(const char* name, long_index_t, long_index_t, long_index_t, Memory& memory) const
    {
        detail::add_range(memory, image.data, range, name);
    }
};

/// Filters [filter, tap, channel] as the operand [channel, (tap, filter)], filter fastest. A batch is a group.
template <class T, int Dims>
struct filter_columns
{
    using element_type = T;

    detail::filter_source<T, Dims> filter{};
    long_index_t group_stride = 0;
    gemm_checks::element_range range{}; ///< of the filters, relative to their data; used on the host only

    template <class Target, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution,
              int InstructionRows>
    using loader = located_loader<Target, detail::filter_source<T, Dims>, T, Rows, K, Waves, Order, ReadDistribution,
                                  InstructionRows>;

    template <operand_order Order>
    static constexpr bool allows = Order != operand_order::k_contiguous;

    TEGULA_INLINE auto source(const operand_part& p) const
    {
        auto s = filter;
        s.data += p.batch * group_stride;
        s.rows = p.rows;
        s.k = p.k;
        s.first_k = p.first_k;
        s.name = p.name;
        return s;
    }
    static status check(const char*, long_index_t, long_index_t, long_index_t) { return {}; }
    operand_order order(long_index_t, long_index_t, long_index_t) const
    {
        return detail::is_vector_aligned(filter.data, filter.tap_strides, filter.filter_stride, group_stride)
                   ? operand_order::row_contiguous
                   : operand_order::any;
    }
    template <class Memory>
    void memory(const char* name, long_index_t, long_index_t, long_index_t, Memory& memory) const
    {
        detail::add_range(memory, filter.data, range, name);
    }
};

} // namespace tegula
