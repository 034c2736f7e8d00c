#pragma once

#include <tegula/kernel/gemm/epilogue.hpp>
#include <tegula/kernel/gemm/tile.hpp>

namespace tegula {

/// GEMM by one block a tile of C, its k loop run by the tile's schedule.
///
///   Tile            a gemm_tile
///   OrderA, OrderB  how the operands lie in memory; with `any` they are read element by element
///   C               element type of the result
///   Epilogue        what happens between the accumulator and C
///   VectorC         rows of C start at multiples of 16 bytes
///
/// operator() is the body of one block; grid size, block size and shared memory are below.
template <class Tile, operand_order OrderA, operand_order OrderB, class C, class Epilogue, bool VectorC>
struct gemm_kernel
{
    static_assert(Tile::template check<OrderA, OrderB>());

    using tile = Tile;
    using target = typename Tile::target;
    using a_type = typename Tile::a_type;
    using b_type = typename Tile::b_type;
    using c_type = C;
    using epilogue_type = Epilogue;
    using arguments = gemm_arguments<a_type, b_type, C, Epilogue>;
    using mma = typename Tile::mma;

    static constexpr operand_order order_a = OrderA;
    static constexpr operand_order order_b = OrderB;
    static constexpr bool vector_c = VectorC;
    static constexpr int block_threads = Tile::block_threads;
    static constexpr index_t shared_bytes = Tile::template shared_bytes<OrderA, OrderB>();

    static constexpr TEGULA_HOST_DEVICE index_t tiles_m(const arguments& args)
    {
        return static_cast<index_t>((args.m + Tile::block_m - 1) / Tile::block_m);
    }
    static constexpr TEGULA_HOST_DEVICE index_t tiles_n(const arguments& args)
    {
        return static_cast<index_t>((args.n + Tile::block_n - 1) / Tile::block_n);
    }
    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return static_cast<long_index_t>(tiles_m(args)) * tiles_n(args) * args.batch;
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const tile_position at = Tile::raster::position(target::block_id()[0], tiles_m(args), tiles_n(args));
        const index_t m0 = at.m * Tile::block_m;
        const index_t n0 = at.n * Tile::block_n;

        typename mma::accumulators acc; // [block_m, block_n]
        acc.clear();
        Tile::template loop<OrderA, OrderB>::run(acc, a_source(args, at.batch), b_source(args, at.batch), m0, n0,
                                                 target::shared_memory());
        Tile::output::store_through(args.epilogue, acc, c_window(args, at.batch, m0, n0), at.batch,
                                    target::shared_memory());
    }

private:
    static TEGULA_INLINE operand_source<a_type> a_source(const arguments& args, long_index_t batch)
    {
        return {args.a.data + batch * args.a.batch_stride,
                static_cast<index_t>(args.m),
                static_cast<index_t>(args.k),
                args.a.row_stride,
                args.a.column_stride,
                "A"};
    }

    static TEGULA_INLINE operand_source<b_type> b_source(const arguments& args, long_index_t batch)
    {
        return {args.b.data + batch * args.b.batch_stride,
                static_cast<index_t>(args.n),
                static_cast<index_t>(args.k),
                args.b.column_stride,
                args.b.row_stride,
                "B"};
    }

    static TEGULA_INLINE auto c_window(const arguments& args, long_index_t batch, index_t m0, index_t n0)
    {
        constexpr index_t promise = VectorC ? 16 / static_cast<index_t>(sizeof(C)) : 1;
        const auto view = make_tensor_view<target, address_space::global>(
            args.c.data + batch * args.c.batch_stride,
            make_strided_descriptor(make_tuple(static_cast<index_t>(args.m), static_cast<index_t>(args.n)),
                                    make_tuple(args.c.row_stride, constant<1>{}), constant<promise>{}),
            "C");
        return make_tile_window<typename Tile::output::pass_distribution>(view, {m0, n0});
    }
};

} // namespace tegula
