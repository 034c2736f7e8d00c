#pragma once

#include <tegula/kernel/convolution/product.hpp>
#include <tegula/kernel/gemm/choose/choose_splits.hpp>
#include <tegula/kernel/gemm/tcgen05/description.hpp>
#include <tegula/kernel/gemm/tcgen05/tiles.hpp>
#include <tegula/kernel/gemm/warp_specialized/description.hpp>
#include <tegula/kernel/gemm/warp_specialized/made_dispatch.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

namespace tegula {

/// Filters [filter, tap, channel] as the B of a gradient of the input, [channel, (tap, filter)], for tensor copies: a slice
/// of k is a tap. Precondition: the k of a stage divides the filters.
template <class T>
struct filters_by_tap
{
    using element_type = T;

    const T* data = nullptr;
    long_index_t filter_stride = 0;
    long_index_t tap_stride = 0;
    index_t slice_k = 1; ///< filters
    index_t slices = 1;  ///< taps

    /// convolution_product::check has checked the filters.
    static status check(const char*, long_index_t, long_index_t, long_index_t) { return {}; }
    template <class Memory>
    void memory(const char* name, long_index_t channels, long_index_t, long_index_t, Memory& memory) const
    {
        if (data != nullptr && channels > 0 && slice_k > 0)
            memory.read(data,
                        static_cast<std::size_t>((slice_k - 1) * filter_stride + (slices - 1) * tap_stride + channels) *
                            sizeof(T),
                        name);
    }
    matrix_argument<const T> matrix() const { return {data, 1, filter_stride, tap_stride}; }
};

/// The common part of persistent kernels for convolutions, products one of whose operands is pixels that a warpgroup reads.
///
///   OrderA, OrderB  of the operands in memory
template <class Kernels, class Tile, class Arguments, class Product, operand_order OrderA, operand_order OrderB>
struct persistent_convolution : convolution_picker<Kernels, Arguments>
{
    using arguments = Arguments;
    using product = Product;
    using result = std::remove_pointer_t<decltype(Product::c.data)>;

    template <work_partition Sharing>
    using form =
        persistent_prologue_kernels<Tile, typename Product::a_operand, typename Product::b_operand, result,
                                    typename Product::epilogue_type, c_rows_order::as_they_are, Sharing, OrderA>;
    using products = form<work_partition::tiles>;

    /// Ok if the kernels take the convolution; else why not, as a launch does. Precondition: can_implement.
    static status can_take(const arguments& args)
    {
        return Kernels::dispatch(args, [](auto, const auto&) { return status(); });
    }
    /// Bytes of workspace: none, but for gradients of filters.
    static long_index_t workspace_bytes(const arguments&) { return 0; }

    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        return Kernels::dispatch(args, [&](auto kernel, const auto& ready) { return launch.start(kernel, ready); });
    }

protected:
    /// Calls launch(kernel{}, arguments), with `splits` parts of k if Sharing is split_k.
    template <work_partition Sharing = work_partition::tiles, class Launch>
    static status dispatch_product(const product& given, const Launch& launch, index_t splits = 1,
                                   gemm_workspace workspace = {})
    {
        const product p = tegula::normalize(given);
        if (p.m == 0 || p.n == 0 || p.batch == 0)
            return {};
        constexpr bool makes_a = !internal::is_copied<typename Product::a_operand>;
        const operand_order order = [&] {
            if constexpr (makes_a)
                return p.a.order(p.m, p.k, p.batch);
            else
                return p.b.order(p.n, p.k, p.batch);
        }();
        if (order != (makes_a ? OrderA : OrderB))
            return {status_code::unsupported, "the channels of the images are not whole vectors of 16 bytes, or pixels "
                                              "do not start at multiples of these; take the convolution_kernels of a "
                                              "gemm_tile"};
        return internal::dispatch_made<form<Sharing>, true, OrderB>(
            p, [&](auto kernel) { return launch(kernel, arguments_for(kernel, p, splits, workspace)); },
            [](const status& why) { return why; });
    }
};

/// Forward convolutions by a warp_specialized_tile without a cluster, or a tcgen05_tile. A warpgroup reads the pixels
/// under the filters, tensor copies read the filters.
///
/// Errors of a launch, in addition to those of can_implement: unsupported if channels of pixels or filters do not lie in
/// whole vectors of 16 bytes, or if there is no channel; take the convolution_kernels of another tile then.
template <int Dims, class Tile, class C, class Epilogue>
    requires requires { Tile::making_threads; }
struct convolution_kernels<convolution_direction::forward, Dims, Tile, C, Epilogue>
    : persistent_convolution<
          convolution_kernels<convolution_direction::forward, Dims, Tile, C, Epilogue>, Tile,
          convolution_arguments<convolution_direction::forward, Dims, typename Tile::a_type, C, Epilogue>,
          prologue_arguments<image_rows<typename Tile::a_type, Dims, false, true>, strided_rows<typename Tile::a_type>,
                             C, Epilogue>,
          operand_order::k_contiguous, operand_order::k_contiguous>
{
    template <class Launch>
    static status dispatch(const typename convolution_kernels::arguments& args, Launch&& launch)
    {
        return convolution_kernels::dispatch_product(convolution_product<convolution_direction::forward>::make(args),
                                                     launch);
    }
};

/// Gradients of the input by such a tile, of convolutions with strides of 1 and one group. A warpgroup reads the
/// gradient of the output, tensor copies read the filters, tap by tap.
///
/// Errors of a launch, in addition to those of can_implement: unsupported with other strides or groups, if the tile's
/// block_k does not divide the filters, or channels or filters are not whole vectors of 16 bytes.
template <int Dims, class Tile, class C, class Epilogue>
    requires requires { Tile::making_threads; }
struct convolution_kernels<convolution_direction::backward_data, Dims, Tile, C, Epilogue>
    : persistent_convolution<
          convolution_kernels<convolution_direction::backward_data, Dims, Tile, C, Epilogue>, Tile,
          convolution_arguments<convolution_direction::backward_data, Dims, typename Tile::a_type, C, Epilogue>,
          prologue_arguments<image_rows<typename Tile::a_type, Dims, false, true>,
                             filters_by_tap<typename Tile::a_type>, C, Epilogue>,
          operand_order::k_contiguous, operand_order::row_contiguous>
{
    template <class Launch>
    static status dispatch(const typename convolution_kernels::arguments& args, Launch&& launch)
    {
        const convolution_shape<Dims>& s = args.shape;
        bool strided = false;
        for (const long_index_t stride : s.stride)
            strided = strided || stride != 1;
        if (strided || s.groups != 1)
            return {status_code::unsupported, "tensor copies read the filters of strides of 1 and one group; take the "
                                              "convolution_kernels of a gemm_tile"};
        if (s.filters % Tile::block_k != 0)
            return status(status_code::unsupported, "there are ")
                   << s.filters << " filters; a step of " << Tile::block_k
                   << " of these lies at one tap, take the convolution_kernels of a gemm_tile";
        return convolution_kernels::dispatch_product(make(args), launch);
    }

private:
    /// Pixel x sees the outputs x + padding - t dilation, as a convolution of negative padding and dilation does.
    static typename convolution_kernels::product make(const typename convolution_kernels::arguments& args)
    {
        convolution_shape<Dims> s = args.shape;
        const gemm_size z = convolution_product<convolution_direction::backward_data>::size(s);
        typename convolution_kernels::product p{z.m, z.n, z.k, z.batch};
        for (int d = 0; d < Dims; ++d)
            s.padding[d] = -s.padding[d], s.dilation[d] = -s.dilation[d];
        p.a = detail::make_image_rows<false, true>(s, args.dy, s.output, s.image, s.filters);
        p.b = {args.w.data, args.w.stride, s.channels, static_cast<index_t>(s.filters), static_cast<index_t>(s.taps())};
        p.c = {args.dx.data, convolution_checks::pixel_stride(args.dx, s.images, s.image, s.channels), 1, s.channels};
        p.epilogue = args.epilogue;
        return p;
    }
};

/// Gradients of the filters by such a tile, of at most 128 of the columns or rows that a warpgroup makes: the pixels of x
/// under the filters. Tensor copies read the gradient of the output. With a workspace of workspace_bytes(args) clusters
/// share the pixels of few tiles; sums are added in the order of the pixels.
///
/// Errors of a launch, in addition to those of can_implement: unsupported if channels or filters do not lie in whole
/// vectors of 16 bytes.
template <int Dims, class Tile, class C, class Epilogue>
    requires requires { Tile::making_threads; }
struct convolution_kernels<convolution_direction::backward_weight, Dims, Tile, C, Epilogue>
    : persistent_convolution<
          convolution_kernels<convolution_direction::backward_weight, Dims, Tile, C, Epilogue>, Tile,
          convolution_arguments<convolution_direction::backward_weight, Dims, typename Tile::a_type, C, Epilogue>,
          prologue_arguments<strided_rows<typename Tile::a_type>, image_rows<typename Tile::a_type, Dims, false, false>,
                             C, Epilogue>,
          operand_order::row_contiguous, operand_order::row_contiguous>
{
    /// Bytes of workspace with which all multiprocessors have work; 0 if they have it without. Precondition:
    /// can_implement.
    static long_index_t workspace_bytes(const typename convolution_kernels::arguments& args)
    {
        using parts = typename convolution_kernels::template form<work_partition::split_k>::template kernel<
            true, operand_order::row_contiguous, output_store::direct>;
        const auto product = convolution_product<convolution_direction::backward_weight>::make(args);
        const index_t splits = splits_of(product);
        const int multiprocessors = chip::speed_of(Tile::target::chip()).compute_units;
        return splits > 1 ? split_k_workspace_bytes<parts>(product, multiprocessors, splits) : 0;
    }
    template <class Launch>
    static status dispatch(const typename convolution_kernels::arguments& args, Launch&& launch)
    {
        const auto product = convolution_product<convolution_direction::backward_weight>::make(args);
        const index_t splits = splits_of(product);
        if (splits > 1 && args.workspace.data != nullptr)
            return convolution_kernels::template dispatch_product<work_partition::split_k>(product, launch, splits,
                                                                                           args.workspace);
        return convolution_kernels::dispatch_product(product, launch);
    }

private:
    template <class Product>
    static index_t splits_of(const Product& p)
    {
        return choose_splits({p.m, p.n, p.k, p.batch}, describe<Tile>("convolution"), Tile::target::chip());
    }
};

} // namespace tegula
