#pragma once

#include <tegula/kernel/convolution/can_implement.hpp>
#include <tegula/kernel/convolution/operands.hpp>
#include <tegula/kernel/convolution/phases.hpp>
#include <tegula/kernel/gemm/choose/choose_tile.hpp>
#include <tegula/kernel/gemm/forms/prologue.hpp>
#include <tegula/kernel/gemm/forms/split_k.hpp>
#include <tegula/kernel/tensor_protocol.hpp>

namespace tegula {

/// Filters [filters, taps..., channels / groups] in memory; a filter has no gaps. The stride is in elements.
template <class T>
struct filter_argument
{
    T* data = nullptr;
    long_index_t stride = 0; ///< from filter to filter, at least taps * channels / groups
};

/// A convolution in one of its directions. The two inputs are of type T, the result is of type C. The direction says
/// which tensors they are:
///
///   direction        images          other input                     result
///   forward          x, the input    w, filters                      y, the output
///   backward_data    dy, the output  w                               dx, the input
///   backward_weight  x               dy (pixels at one stride)       dw, filters
///
/// Strides of `images` are free. Pixels of a result follow each other at one stride, at least the number of channels.
template <convolution_direction Direction, int Dims, class T, class C, class Epilogue>
struct convolution_arguments;

template <int Dims, class T, class C, class Epilogue>
struct convolution_arguments<convolution_direction::forward, Dims, T, C, Epilogue>
{
    convolution_shape<Dims> shape{};
    image_argument<const T, Dims> x{};
    filter_argument<const T> w{};
    image_argument<C, Dims> y{};
    Epilogue epilogue{};
};
template <int Dims, class T, class C, class Epilogue>
struct convolution_arguments<convolution_direction::backward_data, Dims, T, C, Epilogue>
{
    convolution_shape<Dims> shape{};
    image_argument<const T, Dims> dy{};
    filter_argument<const T> w{};
    image_argument<C, Dims> dx{};
    Epilogue epilogue{};
};
template <int Dims, class T, class C, class Epilogue>
struct convolution_arguments<convolution_direction::backward_weight, Dims, T, C, Epilogue>
{
    convolution_shape<Dims> shape{};
    image_argument<const T, Dims> x{};
    image_argument<const T, Dims> dy{};
    filter_argument<C> dw{};
    Epilogue epilogue{};
    /// Null, or convolution_kernels::workspace_bytes() bytes: blocks then share the pixels of few filters, on GPUs.
    gemm_workspace workspace{};
};

/// A convolution as a product of matrices, and the checks of its arguments; a batch is a group.
///
///   direction        A [m, k]                                  B [n, k]             C [m, n]
///   forward          pixels of x under taps, output pixels m   filters              output pixels, filters
///   backward_data    pixels of dy under taps, input pixels m   channels of w        input pixels, channels
///   backward_weight  filters of dy, output pixels k            pixels of x          filters, (taps, channels)
///
/// make(args) gives the arguments of prologue_gemm. The epilogue sees C as that matrix. backward_data is computed in
/// phases (phases.hpp) if every part of the epilogue is same_for_every_row, else with the zeros that strides insert.
template <convolution_direction Direction>
struct convolution_product;

namespace detail {

/// Images x of lengths `read` with `all_channels` channels, seen from the pixels of images of lengths `stands`.
template <bool Adjoint, bool PixelsAreRows, class T, int Dims>
auto make_image_rows(const convolution_shape<Dims>& s, const image_argument<const T, Dims>& x,
                     const array<long_index_t, Dims>& read, const array<long_index_t, Dims>& stands,
                     long_index_t all_channels)
{
    image_rows<T, Dims, Adjoint, PixelsAreRows> rows;
    auto& i = rows.image;
    const long_index_t channels = all_channels / s.groups;
    i.data = x.data;
    i.strides = x.strides;
    i.image_stride = x.image_stride;
    i.taps.lengths[Dims - 1] = magic_divisor(static_cast<index_t>(channels));
    for (int d = 0; d < Dims; ++d) {
        i.pixels.lengths[d] = magic_divisor(static_cast<index_t>(stands[d]));
        if (d > 0)
            i.taps.lengths[d - 1] = magic_divisor(static_cast<index_t>(s.filter[d]));
        i.lengths[d] = static_cast<index_t>(read[d]);
        i.stride[d] = static_cast<index_t>(s.stride[d]);
        i.padding[d] = static_cast<index_t>(s.padding[d]);
        i.dilation[d] = static_cast<index_t>(s.dilation[d]);
        if constexpr (Adjoint)
            i.by_stride[d] = magic_divisor(static_cast<index_t>(s.stride[d]));
    }
    rows.group_channels = static_cast<index_t>(channels);
    rows.range = convolution_checks::range_of(x, s.images, read, all_channels);
    return rows;
}

/// The pixels of x that each output sees.
template <bool PixelsAreRows = true, class T, int Dims>
auto make_covered_pixels(const convolution_shape<Dims>& s, const image_argument<const T, Dims>& x)
{
    return make_image_rows<false, PixelsAreRows>(s, x, s.image, s.output, s.channels);
}

/// Images of a convolution, with their lengths and channels from its shape.
template <class T, int Dims>
struct images_of_shape
{
    const char* name;
    const image_argument<T, Dims>& images;
    const array<long_index_t, Dims>& lengths;
    long_index_t channels;
};

/// Checks the shape, images of any strides, images whose pixels are rows of a matrix, and filters.
template <class T, class P, class W, int Dims>
status check_tensors(const convolution_shape<Dims>& s, const images_of_shape<T, Dims>& any,
                     const images_of_shape<P, Dims>& rows, const char* filters, const filter_argument<W>& w)
{
    namespace checks = convolution_checks;
    if (status bad = checks::check_shape(s); !bad)
        return bad;
    if (status bad = checks::check_images(any.name, any.images, s.images, any.lengths, any.channels); !bad)
        return bad;
    const matrix_argument<W> matrix{w.data, w.stride, 1, 0};
    if (status bad = gemm_checks::check_output(filters, matrix, s.filters, s.taps() * s.group_channels(), 1); !bad)
        return bad;
    return checks::check_pixels(rows.name, rows.images, s.images, rows.lengths, rows.channels);
}

} // namespace detail

template <>
struct convolution_product<convolution_direction::forward>
{
    static constexpr auto direction = convolution_direction::forward;
    using orders = operand_orders<operand_order::k_contiguous, operand_order::k_contiguous>;

    template <int Dims>
    static gemm_size size(const convolution_shape<Dims>& s)
    {
        const bool empty = s.image_pixels() == 0;
        return {s.output_pixels(), s.group_filters(), empty ? 0 : s.taps() * s.group_channels(), s.groups};
    }

    template <int Dims, class T, class C, class Epilogue>
    static status check(const convolution_arguments<direction, Dims, T, C, Epilogue>& g)
    {
        const auto& s = g.shape;
        return detail::check_tensors<const T, C>(s, {"x", g.x, s.image, s.channels}, {"y", g.y, s.output, s.filters},
                                                 "w", g.w);
    }

    template <int Dims, class T, class C, class Epilogue>
    static auto make(const convolution_arguments<direction, Dims, T, C, Epilogue>& g)
    {
        const auto& s = g.shape;
        const gemm_size z = size(s);
        const long_index_t stride = convolution_checks::pixel_stride(g.y, s.images, s.output, s.filters);
        prologue_arguments<image_rows<T, Dims, false, true>, strided_rows<T>, C, Epilogue> p{z.m, z.n, z.k, z.batch};
        p.a = detail::make_covered_pixels(s, g.x);
        p.b = {g.w.data, g.w.stride, 1, s.group_filters() * g.w.stride};
        p.c = {g.y.data, stride, 1, s.group_filters()};
        p.epilogue = g.epilogue;
        return p;
    }
};

template <>
struct convolution_product<convolution_direction::backward_data>
{
    static constexpr auto direction = convolution_direction::backward_data;
    using orders = operand_orders<operand_order::k_contiguous, operand_order::row_contiguous>;
    /// Whether it is computed in phases.
    template <class Epilogue>
    static constexpr bool phased = epilogue::same_for_every_row<Epilogue>;

    template <int Dims>
    static gemm_size size(const convolution_shape<Dims>& s)
    {
        const bool empty = s.output_pixels() == 0;
        return {s.image_pixels(), s.group_channels(), empty ? 0 : s.taps() * s.group_filters(), s.groups};
    }

    template <int Dims, class T, class C, class Epilogue>
    static status check(const convolution_arguments<direction, Dims, T, C, Epilogue>& g)
    {
        const auto& s = g.shape;
        if constexpr (phased<Epilogue>)
            if (status bad = convolution_checks::check_phases(s); !bad)
                return bad;
        return detail::check_tensors<const T, C>(s, {"dy", g.dy, s.output, s.filters},
                                                 {"dx", g.dx, s.image, s.channels}, "w", g.w);
    }

    template <int Dims, class T, class C, class Epilogue>
    static auto make(const convolution_arguments<direction, Dims, T, C, Epilogue>& g)
    {
        if constexpr (phased<Epilogue>) {
            phased_arguments<Dims, T, C, Epilogue> p;
            set_matrices(p, g);
            const auto& s = g.shape;
            p.images = magic_divisor(static_cast<index_t>(s.images));
            p.group_filters = static_cast<index_t>(s.group_filters());
            for (int d = 0; d < Dims; ++d) {
                p.dimensions[d] = detail::make_phased_dimension(s, d);
                p.lengths[d] = static_cast<index_t>(s.image[d]);
                p.a.image.stride[d] = 1;
                if (d > 0)
                    p.phase_number.lengths[d - 1] = magic_divisor(p.dimensions[d].phases);
            }
            return p;
        } else {
            prologue_arguments<image_rows<T, Dims, true, true>, filter_columns<T, Dims>, C, Epilogue> p;
            set_matrices(p, g);
            return p;
        }
    }

private:
    template <class Product, int Dims, class T, class C, class Epilogue>
    static void set_matrices(Product& p, const convolution_arguments<direction, Dims, T, C, Epilogue>& g)
    {
        constexpr bool adjoint = !phased<Epilogue>;
        const auto& s = g.shape;
        const gemm_size z = size(s);
        p.m = z.m, p.n = z.n, p.k = z.k, p.batch = z.batch;
        p.a = detail::make_image_rows<adjoint, true>(s, g.dy, s.output, s.image, s.filters);
        p.b.filter.data = g.w.data;
        p.b.filter.filter_stride = g.w.stride;
        p.b.filter.split.lengths[Dims - 1] = magic_divisor(static_cast<index_t>(s.group_filters()));
        long_index_t stride = s.group_channels();
        for (int d = Dims - 1; d >= 0; --d) {
            p.b.filter.tap_strides[d] = stride;
            stride *= s.filter[d];
            if (d > 0)
                p.b.filter.split.lengths[d - 1] = magic_divisor(static_cast<index_t>(s.filter[d]));
        }
        p.b.group_stride = s.group_filters() * g.w.stride;
        p.b.range = gemm_checks::range_of(matrix_argument<const T>{g.w.data, g.w.stride, 1, 0}, s.filters,
                                          s.taps() * s.group_channels(), 1);
        const long_index_t pixel = convolution_checks::pixel_stride(g.dx, s.images, s.image, s.channels);
        p.c = {g.dx.data, pixel, 1, s.group_channels()};
        p.epilogue = g.epilogue;
    }
};

template <>
struct convolution_product<convolution_direction::backward_weight>
{
    static constexpr auto direction = convolution_direction::backward_weight;
    using orders = operand_orders<operand_order::row_contiguous, operand_order::row_contiguous>;

    template <int Dims>
    static gemm_size size(const convolution_shape<Dims>& s)
    {
        const bool empty = s.image_pixels() == 0;
        return {s.group_filters(), s.taps() * s.group_channels(), empty ? 0 : s.output_pixels(), s.groups};
    }

    template <int Dims, class T, class C, class Epilogue>
    static status check(const convolution_arguments<direction, Dims, T, C, Epilogue>& g)
    {
        const auto& s = g.shape;
        return detail::check_tensors<const T, const T>(s, {"x", g.x, s.image, s.channels},
                                                       {"dy", g.dy, s.output, s.filters}, "dw", g.dw);
    }

    template <int Dims, class T, class C, class Epilogue>
    static auto make(const convolution_arguments<direction, Dims, T, C, Epilogue>& g)
    {
        const auto& s = g.shape;
        const gemm_size z = size(s);
        const long_index_t stride = convolution_checks::pixel_stride(g.dy, s.images, s.output, s.filters);
        prologue_arguments<strided_rows<T>, image_rows<T, Dims, false, false>, C, Epilogue> p{z.m, z.n, z.k, z.batch};
        p.a = {g.dy.data, 1, stride, s.group_filters()};
        p.b = detail::make_covered_pixels<false>(s, g.x);
        p.c = {g.dw.data, g.dw.stride, 1, s.group_filters() * g.dw.stride};
        p.epilogue = g.epilogue;
        return p;
    }
};

/// Whether the arguments describe a convolution that can be computed: sizes, pointers, strides, limits. The message
/// names what is wrong. Nothing is read or written.
template <convolution_direction Direction, int Dims, class T, class C, class Epilogue>
status can_implement(const convolution_arguments<Direction, Dims, T, C, Epilogue>& g)
{
    if (status s = convolution_product<Direction>::check(g); !s)
        return s;
    return check_arguments(convolution_product<Direction>::make(g));
}

/// The kernel for these arguments: the prologue_gemm `Kernel`, or its phased_gemm for phased_arguments.
template <class Kernel, class Product>
struct convolution_kernel
{
    using type = Kernel;
};
template <class Kernel, int Dims, class T, class C, class Epilogue>
struct convolution_kernel<Kernel, phased_arguments<Dims, T, C, Epilogue>>
{
    using type = phased_gemm<Kernel, Dims>;
};

/// The protocol of kernels for convolutions: Kernels::dispatch(arguments, launch) picks one of them.
template <class Kernels, class Arguments>
struct convolution_picker;

template <class Kernels, convolution_direction Direction, int Dims, class T, class C, class Epilogue>
struct convolution_picker<Kernels, convolution_arguments<Direction, Dims, T, C, Epilogue>>
    : tensor_protocol<convolution_arguments<Direction, Dims, T, C, Epilogue>>
{
    using problem = convolution_arguments<Direction, Dims, T, C, Epilogue>;

    /// Bytes of workspace with which all multiprocessors have work; 0 if they have it without. Precondition: can_implement.
    static long_index_t workspace_bytes(const problem& args)
    {
        return Kernels::dispatch(args, [&](auto kernel, const auto& product) -> long_index_t {
            if constexpr (shares_k<decltype(kernel)>)
                if (const auto parts = parts_of(kernel, product); parts.splits > 1)
                    return split_k_gemm<decltype(kernel)>::workspace_bytes(parts);
            return 0;
        });
    }
    /// Errors: those of can_implement; a workspace that is too small or not aligned.
    static status check(const problem& args)
    {
        status s = can_implement(args);
        if constexpr (Direction == convolution_direction::backward_weight)
            if (s && args.workspace.data != nullptr)
                s = gemm_checks::check_workspace(args.workspace, Kernels::workspace_bytes(args));
        return s;
    }
    template <class Memory>
    static void memory(const problem& args, Memory& memory)
    {
        add_product(tegula::normalize(convolution_product<Direction>::make(args)), memory);
        if constexpr (Direction == convolution_direction::backward_weight)
            if (args.workspace.data != nullptr)
                memory.workspace(args.workspace.data, static_cast<std::size_t>(Kernels::workspace_bytes(args)),
                                 "workspace");
    }
    template <class Launcher>
    status launches(const problem& args, Launcher& launch) const
    {
        gemm_workspace workspace;
        if constexpr (Direction == convolution_direction::backward_weight)
            workspace = args.workspace;
        return Kernels::dispatch(args, [&](auto kernel, const auto& product) {
            if constexpr (shares_k<decltype(kernel)>)
                if (auto parts = parts_of(kernel, product); workspace.data != nullptr && parts.splits > 1) {
                    parts.workspace = workspace;
                    return launch.start(split_k_gemm<decltype(kernel)>{}, parts);
                }
            return launch.start(kernel, product);
        });
    }

private:
    template <class Kernel>
    static constexpr bool shares_k =
        Direction == convolution_direction::backward_weight && Kernel::block_threads > 1; // a CPU's has one

    /// The product in as many parts of k as the chip has room for.
    template <class Kernel, class Product>
    static auto parts_of(const Kernel&, const Product& product)
    {
        const gemm_size size{product.m, product.n, product.k, product.batch};
        typename split_k_gemm<Kernel>::arguments parts{product, 1, {}};
        parts.splits = choose_splits(size, describe<typename Kernel::tile>("convolution"), Kernel::target::chip());
        return parts;
    }
};

/// The kernels of one tile for convolutions in a direction: one for tensors whose channels are whole vectors of 16
/// bytes, and one that reads and writes element by element. Each is a prologue_gemm, or its phased_gemm.
///
///     status s = launch(device, convolution_kernels<...>{}, args);
///
/// dispatch(args, launch) calls launch(kernel{}, product) with the one that suits and its arguments. Precondition:
/// can_implement(args) is ok.
template <convolution_direction Direction, int Dims, class Tile, class C, class Epilogue>
struct convolution_kernels
    : convolution_picker<convolution_kernels<Direction, Dims, Tile, C, Epilogue>,
                         convolution_arguments<Direction, Dims, typename Tile::a_type, C, Epilogue>>
{
    using form = convolution_product<Direction>;
    using arguments = convolution_arguments<Direction, Dims, typename Tile::a_type, C, Epilogue>;
    using product = decltype(form::make(std::declval<const arguments&>()));
    using products = prologue_kernels<Tile, typename product::a_operand, typename product::b_operand, C, Epilogue,
                                      c_rows_order::as_they_are, typename form::orders>;

    template <operand_order X, operand_order Y>
    using aligned = typename convolution_kernel<typename products::template aligned<X, Y>, product>::type;
    using element_wise = typename convolution_kernel<typename products::element_wise, product>::type;

    /// Ok if the tile takes the convolution; else why not. Precondition: can_implement(args) is ok.
    static status can_take(const arguments& args) { return products::reaches(tegula::normalize(form::make(args))); }

    template <class Launch>
    static auto dispatch(const arguments& args, Launch&& launch)
    {
        const product p = tegula::normalize(form::make(args));
        return products::dispatch(
            p, [&](auto kernel) { return launch(typename convolution_kernel<decltype(kernel), product>::type{}, p); });
    }
};

} // namespace tegula
