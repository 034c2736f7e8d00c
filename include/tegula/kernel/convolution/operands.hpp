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
    long_index_t extent; ///< elements from `data` on among which all are
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

/// An image_source for direct loads, whose pixels are rows. A pixel keeps its place, and which of the taps, at most `limit`, lead
/// outside of the image.
template <class T, int Dims>
struct masked_image_source : image_source<T, Dims, false, true>
{
    using base = image_source<T, Dims, false, true>;
    static constexpr int limit = 31;

    struct pixel_place
    {
        std::uint32_t bytes;
        std::uint32_t outside; ///< bit t: tap t; bit 31, for taps that do not exist: always
        multi_index<Dims> position;
    };
    struct tap_place
    {
        std::uint32_t bytes;
        index_t number;
    };

    TEGULA_INLINE pixel_place row(index_t i) const
    {
        const typename base::place p = base::row(i);
        return {static_cast<std::uint32_t>(p.offset) * bytes, 0, p.position};
    }
    TEGULA_INLINE tap_place column(index_t j) const
    {
        const index_t tap = this->taps.lengths[Dims - 1].divide(j).quotient;
        return {static_cast<std::uint32_t>(base::column(j).offset) * bytes, j < this->first_k + this->k ? tap : limit};
    }
    /// Finds the taps that lead outside, for all pixels of a lane at a time.
    template <int N>
    TEGULA_INLINE void complete(array<pixel_place, N>& places) const
    {
        const index_t last = this->k > 0 ? this->taps(this->first_k + this->k - 1)[0] : -1;
        array<std::uint32_t, N> inside;
        for (auto& mask : inside)
            mask = 1;
        index_t taps = 1; // of the dimensions so far
        static_for<Dims>([&](auto n) {
            constexpr int d = Dims - 1 - n;
            index_t length = last + 1;
            if constexpr (d > 0)
                length = this->taps.lengths[d - 1].value();
            array<std::uint32_t, N> with_tap{};
            TEGULA_ROLLED
            for (index_t t = 0; t < length; ++t)
                static_for<N>([&](auto i) {
                    const auto x = static_cast<std::uint32_t>(places[i].position[d]) +
                                   static_cast<std::uint32_t>(t * this->dilation[d]);
                    with_tap[i] |= choose(x < static_cast<std::uint32_t>(this->lengths[d]), inside[i], 0u) << t * taps;
                });
            inside = with_tap;
            taps *= length;
        });
        static_for<N>([&](auto i) { places[i].outside = ~inside[i]; });
    }
    /// At least 2^31 if the element is not there.
    static TEGULA_INLINE std::uint32_t direct_offset(const pixel_place& pixel, const tap_place& tap)
    {
        return (pixel.bytes + tap.bytes) | (pixel.outside >> tap.number << 31);
    }

private:
    static constexpr auto bytes = static_cast<std::uint32_t>(sizeof(T));
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

    static constexpr bool masks_taps = !Adjoint && PixelsAreRows; ///< by direct loads

    detail::image_source<T, Dims, Adjoint, PixelsAreRows> image{};
    index_t group_channels = 0;
    gemm_checks::element_range range{}; ///< of the images, relative to their data

    template <class Target, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution,
              int InstructionRows>
    using loader = located_loader<Target, detail::image_source<T, Dims, Adjoint, PixelsAreRows>, T, Rows, K, Waves,
                                  Order, ReadDistribution, InstructionRows>;
    template <class Target, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution>
    using direct_loader =
        direct_located_loader<direct_loader_of<Target, T, Rows, K, Waves, Order, ReadDistribution>,
                              std::conditional_t<masks_taps, detail::masked_image_source<T, Dims>,
                                                 detail::image_source<T, Dims, Adjoint, PixelsAreRows>>>;
    template <index_t Rows, operand_order Order>
    static constexpr bool loads_directly = uses_direct_loads<T, Rows, Order>;

    /// Vectors lie along the channels.
    template <operand_order Order>
    static constexpr bool allows =
        Order == operand_order::any || (Order == operand_order::k_contiguous) == PixelsAreRows;

    TEGULA_INLINE auto source(const operand_part& p) const
    {
        auto s = image;
        s.data += p.batch * group_channels;
        s.extent = range.first + range.count - p.batch * group_channels;
        s.rows = p.rows;
        s.k = p.k;
        s.first_k = p.first_k;
        s.name = p.name;
        return s;
    }

    /// Whether direct loads reach all pixels.
    status check_reach(const char* name, long_index_t k) const
    {
        const auto refuse = [&] { return status(status_code::unsupported, name); };
        constexpr const char* remedy = "take a tile without direct loads, such as t128x128";
        if (range.first < 0)
            return refuse() << " reaches " << -range.first
                            << " elements before its first; direct loads cannot: " << remedy;
        if constexpr (masks_taps) {
            constexpr index_t limit = detail::masked_image_source<T, Dims>::limit;
            if (const long_index_t taps = group_channels > 0 ? k / group_channels : 0; taps > limit)
                return refuse() << " is seen through " << taps << " taps; direct loads take " << limit << ": "
                                << remedy;
        }
        return check_direct_reach<T>(name, range.count);
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
    /// Not done: a tap for each load of a step, beside those of A, takes more registers than there are.
    template <index_t, operand_order>
    static constexpr bool loads_directly = false;

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
