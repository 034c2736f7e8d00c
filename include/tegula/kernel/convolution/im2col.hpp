#pragma once

#include <tegula/kernel/convolution/product.hpp>

namespace tegula {

/// Whether im2col can copy vectors of 16 bytes.
template <class T, int Dims>
bool im2col_suits_vectors(const convolution_shape<Dims>& s, const image_argument<const T, Dims>& x,
                          const matrix_argument<T>& columns)
{
    convolution_shape<Dims> one_group = s;
    one_group.groups = 1;
    return detail::make_covered_pixels(one_group, x).order(0, 0, 1) == operand_order::k_contiguous &&
           has_vector_rows(columns, s.output_pixels(), s.taps() * s.channels, 1);
}

/// Writes the matrix [output pixels, taps * channels] of the elements that the filter covers at each output pixel, for
/// products that convolution_kernels do not compute.
///
///   Vector  elements that a lane copies at a time: 16 bytes if channels, strides and columns allow it
///           (im2col_suits_vectors), else 1
template <class Target, class T, int Dims, int Vector>
struct im2col_kernel
{
    using target = Target;
    static constexpr int block_threads = 256;
    static constexpr int vector = Vector;
    static constexpr int vectors_of_lane = 4;
    static constexpr const char* name = "im2col";

    /// Made by make_im2col.
    struct arguments
    {
        convolution_shape<Dims> shape{};
        image_argument<const T, Dims> x{};
        matrix_argument<T> columns{};
        detail::image_source<T, Dims, false, true> source{};
        long_index_t vectors = 0; ///< per row
    };

    static constexpr TEGULA_HOST_DEVICE long_index_t blocks_of_row(const arguments& args)
    {
        return ceil_div(args.vectors, block_threads * vectors_of_lane);
    }
    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return args.shape.output_pixels() * blocks_of_row(args);
    }

    /// Errors: wrong sizes or pointers, columns that are not neighbours in memory, vectors that do not fit.
    static status check(const arguments& args)
    {
        const auto& s = args.shape;
        if (status bad = convolution_checks::check_shape(s); !bad)
            return bad;
        if (status bad = convolution_checks::check_images("x", args.x, s.images, s.image, s.channels); !bad)
            return bad;
        const long_index_t columns = s.taps() * s.channels;
        if (args.columns.column_stride != 1 && columns > 1 && s.output_pixels() > 0)
            return gemm_checks::invalid("the matrix of columns has column stride ")
                   << args.columns.column_stride << "; it must be 1";
        if (status bad =
                gemm_checks::check_output("the matrix of columns", args.columns, s.output_pixels(), columns, 1);
            !bad)
            return bad;
        if (Vector > 1 && !im2col_suits_vectors(s, args.x, args.columns))
            return status(status_code::unsupported, "the kernel copies ")
                   << Vector << " channels at a time, and not all of x and the matrix of columns lie in vectors of 16 "
                   << "bytes; take an im2col_kernel of 1";
        return {};
    }
    static arguments normalize(const arguments& args) { return args; }
    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        const auto& s = args.shape;
        detail::add_range(memory, args.x.data, convolution_checks::range_of(args.x, s.images, s.image, s.channels),
                          "x");
        add_matrix(memory, args.columns, s.output_pixels(), s.taps() * s.channels, 1, "columns");
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const index_t of_row = static_cast<index_t>(blocks_of_row(args));
        const index_t block = target::block_id()[0];
        const index_t pixel = block / of_row;
        const index_t first = block % of_row * block_threads * vectors_of_lane + target::thread_id();
        const auto row = args.source.row(pixel);
        T* const to = args.columns.data + pixel * args.columns.row_stride;
        static_for<vectors_of_lane>([&](auto i) {
            const index_t j = (first + i * block_threads) * Vector;
            const auto from = args.source.find(row, args.source.column(j));
            const auto values = internal::read_vector<target, address_space::global, Vector>(from.pointer, from.there);
            internal::write_vector<target, address_space::global, Vector>(to + j, values, j < args.source.k);
        });
    }
};

/// The arguments for x and columns; columns are neighbours in memory.
template <class Kernel, class T, int Dims>
typename Kernel::arguments make_im2col(const convolution_shape<Dims>& s, const image_argument<const T, Dims>& x,
                                       const matrix_argument<T>& columns)
{
    convolution_shape<Dims> one_group = s;
    one_group.groups = 1;
    const long_index_t k = s.taps() * s.channels;
    typename Kernel::arguments args{s, x, columns, detail::make_covered_pixels(one_group, x).image, 0};
    args.source.rows = static_cast<index_t>(s.output_pixels());
    args.source.k = static_cast<index_t>(k);
    args.source.first_k = 0;
    args.source.name = "x";
    args.vectors = ceil_div(k, Kernel::vector);
    return args;
}

} // namespace tegula
