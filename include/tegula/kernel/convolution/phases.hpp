#pragma once

#include <tegula/kernel/convolution/operands.hpp>
#include <tegula/kernel/gemm/forms/prologue.hpp>

/// The gradient of the input of a convolution with strides, without the products by zero that a stride inserts.
///
/// Along a dimension, pixel x of the input and output q meet at tap t if x + padding = q stride + t dilation. So a
/// pixel has the taps with t dilation = x + padding modulo the stride. Pixels with the same remainder form a phase and
/// have the same taps, first_tap + j stride / g with g = gcd(stride, dilation). Through the j-th of them, pixel
/// first + i stride sees output first_output + i - j dilation / g. Each phase is thus a convolution without stride.

namespace tegula {

namespace detail {

/// A dimension's phases. If pixels have all remainders, phase i is that of remainder i, so that the first phases have
/// the most taps. Made by the host.
struct phased_dimension
{
    index_t phases = 0; ///< phases that have pixels
    index_t shift = 0;  ///< from the number of a phase to its first pixel, modulo the phases
    index_t padding = 0;
    index_t dilation = 0;
    index_t inverse = 0;     ///< of dilation / g modulo step
    index_t lines = 0;       ///< distance of the outputs at neighbouring taps of a phase, dilation / g
    magic_divisor stride{1}; ///< at most phase_stride_limit
    magic_divisor common{1}; ///< g
    magic_divisor step{1};   ///< from a phase's tap to its next, stride / g
    index_t longest = 0;     ///< phases with first pixel <= longest have pixels[0] pixels, others pixels[1]
    magic_divisor pixels[2]{};
    index_t fullest = 0; ///< phases with first tap <= fullest have taps[0] taps, others taps[1]
    magic_divisor taps[2]{};
    index_t filter = 0;
};

/// One phase of a dimension.
struct dimension_phase
{
    index_t first;        ///< first pixel
    index_t first_tap;    ///< 0 if there is none
    index_t first_output; ///< that the first pixel meets at the first tap; may lie before the outputs
    magic_divisor pixels;
    magic_divisor taps; ///< 0: nothing reaches these pixels

    static TEGULA_INLINE dimension_phase at(const phased_dimension& d, index_t number)
    {
        dimension_phase p{};
        const index_t shifted = number + d.shift;
        p.first = shifted >= d.phases ? shifted - d.phases : shifted;
        p.pixels = p.first > d.longest ? d.pixels[1] : d.pixels[0];
        const quotient_remainder place = d.stride.divide(p.first + d.padding);
        const quotient_remainder share = d.common.divide(place.remainder);
        const index_t tap = d.step.divide(share.quotient * d.inverse).remainder;
        if (share.remainder == 0 && tap < d.filter) {
            p.first_tap = tap;
            p.taps = tap > d.fullest ? d.taps[1] : d.taps[0];
        } else {
            p.taps = magic_divisor(0);
        }
        p.first_output = place.quotient - d.stride.divide(p.first_tap * d.dilation).quotient;
        return p;
    }
};

/// Products of two remainders of a stride stay below 2^30.
inline constexpr index_t phase_stride_limit = 1 << 15;

constexpr index_t greatest_common_divisor(index_t a, index_t b)
{
    while (b != 0) {
        const index_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
/// The y in [0, modulus) with x y = 1 modulo `modulus`. Precondition: modulus <= phase_stride_limit, and it has no
/// common divisor with x.
constexpr index_t inverse_modulo(index_t x, index_t modulus)
{
    for (index_t y = 0; y < modulus; ++y)
        if (x % modulus * y % modulus == 1 % modulus)
            return y;
    return 0;
}

/// The phases of a dimension. Precondition: check_shape and check_phases are ok.
template <int Dims>
phased_dimension make_phased_dimension(const convolution_shape<Dims>& s, int dimension)
{
    const auto length = static_cast<index_t>(s.image[dimension]);
    const auto stride = static_cast<index_t>(s.stride[dimension]);
    const index_t common = greatest_common_divisor(stride, static_cast<index_t>(s.dilation[dimension]));
    const index_t step = stride / common;
    phased_dimension d;
    d.padding = static_cast<index_t>(s.padding[dimension]);
    d.dilation = static_cast<index_t>(s.dilation[dimension]);
    d.filter = static_cast<index_t>(s.filter[dimension]);
    d.phases = min(stride, length);
    d.shift = d.phases == stride ? (stride - d.padding % stride) % stride : 0;
    d.lines = d.dilation / common;
    d.inverse = inverse_modulo(d.lines, step);
    d.stride = magic_divisor(stride);
    d.common = magic_divisor(common);
    d.step = magic_divisor(step);
    d.longest = length > 0 ? (length - 1) % stride : 0;
    d.fullest = (d.filter - 1) % step;
    const index_t most_pixels = ceil_div(length, stride), most_taps = ceil_div(d.filter, step);
    for (int less = 0; less < 2; ++less) {
        d.pixels[less] = magic_divisor(most_pixels - less);
        d.taps[less] = magic_divisor(most_taps - less);
    }
    return d;
}

} // namespace detail

/// The whole product of backward_data as prologue_arguments: m pixels of the input, n channels, k taps times filters,
/// groups as batch. In addition, the data from which each block makes its phase.
template <int Dims, class T, class C, class Epilogue>
struct phased_arguments : prologue_arguments<image_rows<T, Dims, false, true>, filter_columns<T, Dims>, C, Epilogue>
{
    array<detail::phased_dimension, Dims> dimensions{};
    index_split<Dims> phase_number{}; ///< splits it into one for each dimension
    magic_divisor images{};
    array<index_t, Dims> lengths{}; ///< of an image
    index_t group_filters = 0;
};

namespace convolution_checks {

/// Checks the rules for phases beyond check_shape.
template <int Dims>
status check_phases(const convolution_shape<Dims>& s)
{
    for (int d = 0; d < Dims; ++d)
        if (s.stride[d] > detail::phase_stride_limit)
            return status(status_code::unsupported, "stride ")
                   << d << " is " << s.stride[d] << "; the gradient of the input takes strides up to "
                   << detail::phase_stride_limit;
    return {};
}

} // namespace convolution_checks

/// backward_data by phases: each block multiplies only the pixels and taps of one phase.
///
///   Kernel  a prologue_gemm of these operands
///
/// Every phase gets as many blocks as the one with the most pixels; blocks without pixels end at once.
template <class Kernel, int Dims>
struct phased_gemm : product_protocol<phased_arguments<Dims, typename Kernel::a_type, typename Kernel::c_type,
                                                       typename Kernel::arguments::epilogue_type>>
{
    using target = typename Kernel::target;
    using tile = typename Kernel::tile;
    using product = typename Kernel::arguments;
    using c_type = typename Kernel::c_type;
    using arguments = phased_arguments<Dims, typename Kernel::a_type, c_type, typename product::epilogue_type>;

    static constexpr operand_order order_a = Kernel::order_a;
    static constexpr operand_order order_b = Kernel::order_b;
    static constexpr int block_threads = Kernel::block_threads;
    static constexpr index_t shared_bytes = Kernel::shared_bytes;

    static constexpr TEGULA_HOST_DEVICE index_t tiles_m(const arguments& args)
    {
        long_index_t pixels = args.images.value();
        for (int d = 0; d < Dims; ++d)
            pixels *= args.dimensions[d].pixels[0].value();
        return static_cast<index_t>(ceil_div(pixels, long_index_t{tile::block_m}));
    }
    static constexpr TEGULA_HOST_DEVICE index_t tiles_n(const arguments& args)
    {
        return static_cast<index_t>(ceil_div(args.n, long_index_t{tile::block_n}));
    }
    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        long_index_t phases = args.batch;
        for (int d = 0; d < Dims; ++d)
            phases *= args.dimensions[d].phases;
        return phases * tiles_m(args) * tiles_n(args);
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        internal::check_reload(args, [](const arguments& a) { return a.c.data; });
        tile_position at = tile::raster::position(target::block_id()[0], tiles_m(args), tiles_n(args));
        const auto groups = static_cast<std::uint32_t>(args.batch), number = static_cast<std::uint32_t>(at.batch);
        const auto phase_number = static_cast<index_t>(number / groups);
        // Reloaded: arguments that only the tile's place depends on take no scalar registers from here on.
        const product part = make_phase(internal::reload_arguments(args), phase_number).part;
        at.batch = number % groups;
        if (at.m * tile::block_m < part.m)
            compute(args, part, phase_number, at);
    }

private:
    using dimension_phase = detail::dimension_phase;

    /// The product of one phase.
    struct phase
    {
        product part;
        array<dimension_phase, Dims> dimensions;
    };

    static TEGULA_INLINE phase make_phase(const arguments& args, index_t number)
    {
        phase p{args, {}};
        product& part = p.part;
        const auto numbers = args.phase_number(number);
        part.m = args.images.value();
        part.k = args.k == 0 ? 0 : args.group_filters; // k is 0 if alpha is 0: no product
        static_for<Dims>([&](auto d) {
            const detail::phased_dimension& all = args.dimensions[d];
            const dimension_phase own = dimension_phase::at(all, numbers[d]);
            p.dimensions[d] = own;
            part.m *= own.pixels.value();
            part.k *= own.taps.value();
            part.a.image.pixels.lengths[d] = own.pixels;
            part.a.image.padding[d] = -own.first_output;
            part.a.image.dilation[d] = -all.lines;
            if constexpr (d > 0) {
                part.a.image.taps.lengths[d - 1] = own.taps;
                part.b.filter.split.lengths[d - 1] = own.taps;
            }
            part.b.filter.data += own.first_tap * args.b.filter.tap_strides[d];
            part.b.filter.tap_strides[d] = all.step.value() * args.b.filter.tap_strides[d];
        });
        return p;
    }

    static TEGULA_INLINE void compute(const arguments& args, const product& part, index_t phase_number,
                                      const tile_position& at)
    {
        typename Kernel::mma::accumulators acc; // [block_m, block_n]
        acc.clear();
        Kernel::multiply(acc, part, at, 0, static_cast<index_t>(part.k));
        // The phase is computed again, so that its numbers take no scalar registers in the loop.
        const arguments& reloaded = internal::reload_arguments(args);
        const phase own = make_phase(reloaded, phase_number);
        const auto epilogue = [&]() -> const auto& { return reloaded.epilogue; };
        tile::output::store_through(epilogue, acc, c_window(reloaded, own, at, std::make_integer_sequence<int, Dims>{}),
                                    at.batch, target::shared_memory());
    }

    template <class... Divisors>
    static TEGULA_INLINE merge_transform<tuple<Divisors...>> merge(const Divisors&... divisors)
    {
        return {make_tuple(divisors...)};
    }

    /// The tile's window in the phase's pixels, [pixel, channel]. Pixels of all images follow each other at one stride.
    template <int... Ds>
    static TEGULA_INLINE auto c_window(const arguments& args, const phase& own, const tile_position& at,
                                       std::integer_sequence<int, Ds...>)
    {
        array<long_index_t, Dims> strides{}; // from a pixel of the phase to the next
        long_index_t stride = args.c.row_stride, first = at.batch * args.c.batch_stride;
        static_for<Dims>([&](auto i) {
            constexpr int d = Dims - 1 - i;
            first += own.dimensions[d].first * stride;
            strides[d] = args.dimensions[d].stride.value() * stride;
            stride *= args.lengths[d];
        });
        const auto window = [&](auto column_stride, auto promise) {
            const auto pixels = make_strided_descriptor(
                make_tuple(args.images.value(), own.dimensions[Ds].pixels.value()..., static_cast<index_t>(args.n)),
                make_tuple(stride, strides[Ds]..., column_stride), promise);
            const auto rows = transform_descriptor(
                pixels,
                make_tuple(merge(args.images, own.dimensions[Ds].pixels...),
                           make_pass_through_transform(static_cast<index_t>(args.n))),
                tuple<sequence<0, 1 + Ds...>, sequence<Dims + 1>>{}, tuple<sequence<0>, sequence<1>>{});
            const auto view = make_tensor_view<target, address_space::global>(args.c.data + first, rows, "C");
            return make_tile_window<typename Kernel::plain::pass_distribution>(
                view, {at.m * tile::block_m, at.n * tile::block_n});
        };
        if constexpr (Kernel::vector_c)
            return window(constant<1>{}, constant<16 / static_cast<index_t>(sizeof(c_type))>{});
        else
            return window(constant<1>{}, constant<1>{});
    }
};

} // namespace tegula
