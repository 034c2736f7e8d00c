#pragma once

#include <tegula/chip/tensor_map.hpp>
#include <tegula/kernel/gemm/can_implement.hpp>
#include <tegula/kernel/gemm/gemm_kernel.hpp>
#include <tegula/kernel/gemm/microscaled/tile.hpp>

namespace tegula {

/// C[b] = epilogue(A[b] B[b]) of operands in a Microscaling format. Sizes are in elements; of the base's matrices
///
/// a         packed rows of A, mx_row_bytes<A>(k) bytes each, row_stride bytes apart, zeros past k; column_stride is 1
/// b         packed columns of B likewise, column_stride bytes apart; row_stride is 1
/// a_scales  of A's rows, mx_scale_bytes(m, k) bytes as mx_scale_offset says, those of the next product of the batch
///           a_scales_stride bytes on; b_scales: of B's columns
///
/// mx_quantize writes all of this. Scales of the blocks that pad k are read too and must be numbers, not 0xff (NaN).
template <class A, class B, class C, class Epilogue>
struct microscaled_arguments : gemm_arguments<std::uint8_t, std::uint8_t, C, Epilogue>
{
    const std::uint8_t* a_scales = nullptr;
    const std::uint8_t* b_scales = nullptr;
    long_index_t a_scales_stride = 0;
    long_index_t b_scales_stride = 0;
};

namespace gemm_checks {

/// Packed rows and their scales.
inline status check_microscaled(const char* name, const matrix_argument<const std::uint8_t>& x, long_index_t stride,
                                long_index_t rows, long_index_t row_bytes, long_index_t batch,
                                const std::uint8_t* scales, long_index_t scales_stride)
{
    const matrix_argument<const std::uint8_t> packed{x.data, stride, 1, x.batch_stride};
    if (status s = check_input(name, packed, rows, row_bytes, batch); !s)
        return s;
    if (!is_aligned(x.data, 16) || stride % 16 != 0 || x.batch_stride % 16 != 0)
        return invalid(name) << " has packed rows that do not all start at multiples of 16 bytes; align the first and "
                                "take strides of rows and batch that are multiples of 16";
    if (rows > 1 && stride < row_bytes)
        return invalid(name) << " has packed rows " << stride << " bytes apart, and each has " << row_bytes
                             << " bytes, k padded to a multiple of " << mx_step;
    // 31 bits say where a row of a tile of 256 rows is.
    constexpr long_index_t most = (1L << 31) / 256 - 16;
    if (rows > 1 && stride > most)
        return status(status_code::unsupported, name)
               << " has packed rows " << stride << " bytes apart; the limit is " << most << ", pack them closer";
    if (row_bytes > most)
        return status(status_code::unsupported, name)
               << " has packed rows of " << row_bytes << " bytes; the limit is " << most << ", split k";
    if (scales == nullptr)
        return invalid(name) << " has no scales; mx_quantize writes them beside the elements";
    if (!is_aligned(scales, 4) || (batch > 1 && scales_stride % 4 != 0))
        return invalid(name) << " has scales that are not aligned to words of 4 bytes";
    return {};
}

} // namespace gemm_checks

/// Whether the arguments describe a product that can be computed; see can_implement of gemm_arguments.
template <class A, class B, class C, class Epilogue>
status can_implement(const microscaled_arguments<A, B, C, Epilogue>& g)
{
    namespace checks = gemm_checks;
    if (status s = checks::check_sizes(g); !s)
        return s;
    if (checks::product(checks::product(g.m, g.n), g.batch) < 0)
        return checks::invalid("a matrix of ") << g.m << " x " << g.n << " x " << g.batch << " elements passes 2^63";
    if (g.m > 0 && g.n > 0 && g.k > 0 && g.batch > 0) {
        if (status s = checks::check_microscaled("A", g.a, g.a.row_stride, g.m, mx_row_bytes<A>(g.k), g.batch,
                                                 g.a_scales, g.a_scales_stride);
            !s)
            return s;
        if (status s = checks::check_microscaled("B", g.b, g.b.column_stride, g.n, mx_row_bytes<B>(g.k), g.batch,
                                                 g.b_scales, g.b_scales_stride);
            !s)
            return s;
    }
    return checks::check_output("C", g.c, g.m, g.n, g.batch);
}

namespace detail {

/// The arguments of a tile's product: microscaled_arguments, or those that the tile says.
template <class Tile, class C, class Epilogue>
struct microscaled_product
{
    using type = microscaled_arguments<typename Tile::a_element, typename Tile::b_element, C, Epilogue>;
};
template <class Tile, class C, class Epilogue>
    requires requires { typename Tile::template product_type<C, Epilogue>; }
struct microscaled_product<Tile, C, Epilogue>
{
    using type = typename Tile::template product_type<C, Epilogue>;
};

/// A product whose operands come by tensor copies.
template <class Product>
struct mapped_operands
{
    Product product;
    tensor_map a_map;
    tensor_map b_map;
};

template <class Tile>
inline constexpr bool copies_tensors = requires { requires Tile::copies_tensors; };

} // namespace detail

/// GEMM of operands with block scales by instructions that apply the scales: gfx950's and gfx1250's on operands in a
/// Microscaling format, sm_120a's on those and on NVFP4. The latter two take scaled_format_arguments.
///
/// launch_gemm of host/launch_microscaled.hpp starts it.
///
///   Tile      a microscaled_tile, on gfx1250 a scaled_wave_tile, on sm_120a a scaled_warp_tile
///   C         element type of the result
///   Epilogue  what happens between the accumulator and C
///   Access    how C lies in memory
template <class Tile, class C, class Epilogue, output_access Access = output_access::elements>
struct microscaled_gemm
{
    using plain = gemm_kernel<Tile, operand_order::k_contiguous, operand_order::k_contiguous, C, Epilogue, Access>;
    using tile = Tile;
    using target = typename Tile::target;
    using product_type = typename detail::microscaled_product<Tile, C, Epilogue>::type;

    /// Whether tensor copies bring the operands. Then the kernel's arguments are the product and the maps of its operands, which
    /// launch_gemm makes; else they are the product.
    static constexpr bool copies_tensors = detail::copies_tensors<Tile>;
    using arguments = std::conditional_t<copies_tensors, detail::mapped_operands<product_type>, product_type>;

    static constexpr int block_threads = Tile::block_threads;
    static constexpr index_t shared_bytes = plain::shared_bytes;

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return plain::blocks(product_of(args));
    }

    TEGULA_INLINE void operator()(const arguments& all) const
    {
        const product_type& args = product_of(all);
        const tile_position at = plain::position(args, target::block_id()[0]);
        typename Tile::mma::accumulators acc; // [block_m, block_n]
        acc.clear();
        if constexpr (copies_tensors)
            Tile::initialize_barriers(target::shared_memory());
        Tile::k_loop::run(acc, a_source(all, at.batch), b_source(all, at.batch),
                          args.a_scales + at.batch * args.a_scales_stride,
                          args.b_scales + at.batch * args.b_scales_stride, args.k, at.m * Tile::block_m,
                          at.n * Tile::block_n, target::shared_memory());
        if constexpr (requires { requires Tile::has_tensor_scale; })
            static_for<Tile::mma::iterations_m * Tile::mma::iterations_n>([&](auto t) {
                for (int i = 0; i < Tile::atom::c_count; ++i)
                    acc.tiles[t][i] *= args.tensor_scale;
            });
        plain::finish(acc, args, at);
    }

private:
    static constexpr TEGULA_HOST_DEVICE const product_type& product_of(const arguments& args)
    {
        if constexpr (copies_tensors)
            return args.product;
        else
            return args;
    }
    static TEGULA_INLINE auto a_source(const arguments& args, long_index_t batch)
    {
        const product_type& p = product_of(args);
        if constexpr (copies_tensors)
            return copied(args.a_map, p.m, p.k, p.a.batch_stride == 0 ? 0 : batch);
        else
            return source<Tile::a_row>(p.a, p.m, p.a.row_stride, p.k, batch, "A");
    }
    static TEGULA_INLINE auto b_source(const arguments& args, long_index_t batch)
    {
        const product_type& p = product_of(args);
        if constexpr (copies_tensors)
            return copied(args.b_map, p.n, p.k, p.b.batch_stride == 0 ? 0 : batch);
        else
            return source<Tile::b_row>(p.b, p.n, p.b.column_stride, p.k, batch, "B");
    }
    static TEGULA_INLINE auto copied(const tensor_map& map, long_index_t rows, long_index_t k, long_index_t batch)
    {
        return typename Tile::source_type{&map, Tile::barriers(target::shared_memory()), static_cast<index_t>(rows),
                                          static_cast<index_t>(Tile::copied_k(k)), static_cast<index_t>(batch)};
    }
    template <index_t StepBytes>
    static TEGULA_INLINE operand_source<std::uint8_t> source(const matrix_argument<const std::uint8_t>& x,
                                                             long_index_t rows, long_index_t stride, long_index_t k,
                                                             long_index_t batch, const char* name)
    {
        const long_index_t row_bytes = ceil_div(k, mx_step) * StepBytes;
        return {x.data + batch * x.batch_stride,
                static_cast<index_t>(rows),
                static_cast<index_t>(row_bytes),
                rows > 1 ? stride : row_bytes, // that of a single row says nothing
                1,
                name};
    }
};

} // namespace tegula
