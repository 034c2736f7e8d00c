#pragma once

#include <tegula/chip/tensor_map.hpp>
#include <tegula/kernel/gemm/gemm_kernel.hpp>
#include <tegula/kernel/gemm/microscaled/tile.hpp>

namespace tegula {

/// C[b] = epilogue(A[b] B[b]) for operands in a Microscaling format. Sizes are in elements. The matrices:
///
/// a         packed rows of A, mx_row_bytes<A>(k) bytes each, row_stride bytes apart, zeros past k; column_stride is 1
/// b         packed columns of B likewise, column_stride bytes apart; row_stride is 1
/// a_scales  scales of A's rows, mx_scale_bytes(m, k) bytes in the order of mx_scale_offset; the scales of the next
///           product of the batch begin a_scales_stride bytes later. b_scales: scales of B's columns
///
/// mx_quantize writes all of this. Scales of the blocks that pad k are read too and must be numbers, not 0xff (NaN).
template <class A, class B, class C, class Epilogue>
struct microscaled_arguments : gemm_arguments<std::uint8_t, std::uint8_t, C, Epilogue>
{
    const std::uint8_t* a_scales = nullptr;
    const std::uint8_t* b_scales = nullptr;
    long_index_t a_scales_stride = 0;
    long_index_t b_scales_stride = 0;

    template <class Memory>
    void memory(Memory& memory) const
    {
        add_packed(memory, mx_row_bytes<A>(this->k), mx_row_bytes<B>(this->k), mx_scale_bytes(this->m, this->k),
                   mx_scale_bytes(this->n, this->k));
    }

protected:
    /// Adds A and B, as packed rows of a_row and b_row bytes, their scales of a_bytes and b_bytes bytes, and C.
    template <class Memory>
    void add_packed(Memory& memory, long_index_t a_row, long_index_t b_row, long_index_t a_bytes,
                    long_index_t b_bytes) const
    {
        const long_index_t batch = this->batch;
        if (this->m > 0 && this->n > 0 && this->k > 0 && batch > 0) {
            add_matrix(memory,
                       matrix_argument<const std::uint8_t>{this->a.data, this->a.row_stride, 1, this->a.batch_stride},
                       this->m, a_row, batch, "A");
            add_matrix(
                memory,
                matrix_argument<const std::uint8_t>{this->b.data, this->b.column_stride, 1, this->b.batch_stride},
                this->n, b_row, batch, "B");
            add_matrix(memory, matrix_argument<const std::uint8_t>{a_scales, 0, 1, a_scales_stride}, 1, a_bytes, batch,
                       "scales of A");
            add_matrix(memory, matrix_argument<const std::uint8_t>{b_scales, 0, 1, b_scales_stride}, 1, b_bytes, batch,
                       "scales of B");
        }
        add_matrix(memory, this->c, this->m, this->n, batch, "C");
    }
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
    // Offsets of rows within a tile, of at most 256 rows, have 31 bits.
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
    if (status s = checks::check_sizes(g.m, g.n, g.k, g.batch); !s)
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

/// The arguments of a tile's product: the tile's product_type if it has one, else microscaled_arguments.
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
    Product product = {};
    tensor_map a_map = {};
    tensor_map b_map = {};
};

} // namespace detail

/// The parameters of the maps of a product whose operands come by tensor copies.
///
/// Errors: unsupported if tensor copies cannot address an operand.
template <class Kernel>
status describe_operand_maps(const typename Kernel::product_type& p, tensor_map_parameters& a, tensor_map_parameters& b)
{
    using tile = typename Kernel::tile;
    const long_index_t length = tile::copied_k(p.k);
    a = tile::a_copies::parameters(p.a.data, p.m, length, p.a.row_stride, p.batch, p.a.batch_stride);
    b = tile::b_copies::parameters(p.b.data, p.n, length, p.b.column_stride, p.batch, p.b.batch_stride);
    const tensor_map_parameters* const maps[] = {&a, &b};
    const long_index_t batch_strides[] = {p.a.batch_stride, p.b.batch_stride};
    for (int i = 0; i < 2; ++i) {
        const char* const name = i == 0 ? "A" : "B";
        if (p.batch > 1 && batch_strides[i] < 0)
            return status(status_code::unsupported, name)
                   << " has a batch stride of " << batch_strides[i] << "; tensor copies need 0 or more";
        if (status s = check_tensor_address(*maps[i]); !s)
            return status(status_code::unsupported, name) << ": " << s.message();
    }
    return {};
}

/// The arguments of such a kernel: the normalized product, and the maps, which make_map(map, parameters) encodes.
///
/// Errors: those of describe_operand_maps and make_map.
template <class Kernel, class MakeMap>
status fill_arguments(typename Kernel::arguments& args, const typename Kernel::product_type& product,
                      const MakeMap& make_map)
{
    args = {};
    args.product = product;
    if (product.m == 0 || product.n == 0 || product.batch == 0 || product.k == 0)
        return {}; // nothing is copied
    tensor_map_parameters a, b;
    if (status s = describe_operand_maps<Kernel>(product, a, b); !s)
        return s;
    if (status s = make_map(args.a_map, a); !s)
        return s;
    return make_map(args.b_map, b);
}

/// GEMM of operands with block scales by instructions that apply the scales: gfx950's and gfx1250's on operands in a
/// Microscaling format, sm_120a's on those and on NVFP4. The latter two take scaled_format_arguments.
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
    static constexpr const char* name = "gemm";
    using product_type = typename detail::microscaled_product<Tile, C, Epilogue>::type;

    /// Whether tensor copies load the operands. Then the kernel's arguments are the product and the maps of its
    /// operands, which launch makes; else they are the product.
    static constexpr bool copies_tensors = Tile::copies_tensors;
    using arguments = std::conditional_t<copies_tensors, detail::mapped_operands<product_type>, product_type>;

    static constexpr int block_threads = Tile::block_threads;
    static constexpr index_t shared_bytes = plain::shared_bytes;

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return plain::blocks(product_of(args));
    }

    /// Errors: those of can_implement and check_epilogue.
    static status check(const arguments& args) { return check_arguments(product_of(args)); }
    static arguments normalize(const arguments& given)
    {
        arguments args = given;
        product_of(args) = tegula::normalize(product_of(args));
        return args;
    }
    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        add_product(product_of(args), memory);
    }
    /// Errors: unsupported if tensor copies cannot address an operand.
    template <class Launcher>
        requires copies_tensors
    static status prepare(arguments& args, Launcher& device)
    {
        const product_type product = args.product;
        return fill_arguments<microscaled_gemm>(
            args, product, [&](tensor_map& map, const tensor_map_parameters& p) { return device.encode(map, p); });
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
        if constexpr (Tile::has_tensor_scale)
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
    static constexpr product_type& product_of(arguments& args)
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
                rows > 1 ? stride : row_bytes, // the stride of a single row has no meaning
                1,
                name};
    }
};

} // namespace tegula
