#pragma once

#include <tegula/arch/reload_arguments.hpp>
#include <tegula/core/math.hpp>
#include <tegula/core/static_for.hpp>
#include <tegula/kernel/gemm/product_protocol.hpp>
#include <tegula/kernel/gemm/tile.hpp>

namespace tegula {

/// GEMM: each block computes a tile of C, and the tile's schedule runs the k loop.
///
///   Tile            a gemm_tile
///   OrderA, OrderB  how the operands lie in memory; with `any` they are read element by element
///   C               element type of the result
///   Epilogue        the steps between the accumulator and C
///   Access          how C lies in memory
///
/// operator() is the body of one block; grid size, block size and shared memory are below.
template <class Tile, operand_order OrderA, operand_order OrderB, class C, class Epilogue, output_access Access>
struct gemm_kernel : product_protocol<gemm_arguments<typename Tile::a_type, typename Tile::b_type, C, Epilogue>>
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
    static constexpr bool vector_c = Access == output_access::vectors;
    /// Whether the epilogue's arguments do not fit the scalar registers during the k loop. They are then loaded after
    /// it, from the kernel's first parameter, and 8-bit C is stored 4 bytes a lane (docs/gemm.md).
    static constexpr bool reloads_epilogue = sizeof(Epilogue) > 64;
    static constexpr int block_threads = Tile::block_threads;
    static constexpr index_t shared_bytes = Tile::template shared_bytes<OrderA, OrderB>();
    static constexpr int cluster_blocks = Tile::cluster_blocks;

    static constexpr TEGULA_HOST_DEVICE index_t tiles_m(const arguments& args)
    {
        return static_cast<index_t>(ceil_div(args.m, Tile::block_m));
    }
    static constexpr TEGULA_HOST_DEVICE index_t tiles_n(const arguments& args)
    {
        return static_cast<index_t>(ceil_div(args.n, Tile::block_n));
    }
    static constexpr TEGULA_HOST_DEVICE long_index_t tiles(const arguments& args)
    {
        return static_cast<long_index_t>(tiles_m(args)) * tiles_n(args) * args.batch;
    }
    /// Blocks to launch: whole clusters.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return ceil_div(tiles(args), long_index_t{cluster_blocks}) * cluster_blocks;
    }

    /// Errors: those of can_implement and check_epilogue; unsupported for operands or a C that do not lie in memory as
    /// the kernel takes them.
    static status check(const arguments& args)
    {
        const status s = check_arguments(args);
        return s ? internal::check_orders<gemm_kernel>(args, args.k) : s;
    }

    /// Precondition on a device: `args` is the first parameter of the __global__ function, by value. The kernel traps
    /// if it is not and the epilogue is reloaded.
    TEGULA_INLINE void operator()(const arguments& args) const
    {
        if constexpr (cluster_blocks > 1)
            if (target::block_id()[0] >= tiles(args))
                return;
        const tile_position at = position(args, target::block_id()[0]);
        const std::uint32_t multicast_mask = multicast_mask_of_b(args, at);
        if constexpr (reloads_epilogue) {
            internal::check_reload(args, [](const arguments& a) { return a.c.data; });
            typename mma::accumulators acc;
            acc.clear();
            multiply(acc, args, at, 0, static_cast<index_t>(args.k), multicast_mask);
            const auto again = [&]() -> const Epilogue& { return internal::reload_arguments(args).epilogue; };
            Tile::output::store_through(again, acc, c_window(internal::reload_arguments(args), at, 0), at.batch,
                                        target::shared_memory());
        } else if constexpr (requires { requires Tile::atom::widens_operands; }) { // a CPU's tile has no atom
            typename mma::accumulators acc;
            acc.clear();
            multiply(acc, args, at, 0, static_cast<index_t>(args.k), multicast_mask);
            // Widened operands take all registers. So the position is computed again, rather than kept through the loop.
            index_t number = target::block_id()[0];
            target::make_opaque(number);
            finish(acc, args, position(args, number));
        } else {
            compute(args, at, multicast_mask);
        }
    }

    /// The whole work of a block: the tile at `at` of C.
    static TEGULA_INLINE void compute(const arguments& args, const tile_position& at, std::uint32_t multicast_mask = 0)
    {
        typename mma::accumulators acc; // [block_m, block_n]
        acc.clear();
        multiply(acc, args, at, 0, static_cast<index_t>(args.k), multicast_mask);
        finish(acc, args, at);
    }

    /// Position of tile `number` of C, in tiles; number is in [0, blocks(args)).
    static TEGULA_INLINE tile_position position(const arguments& args, index_t number)
    {
        return Tile::raster::position(number, tiles_m(args), tiles_n(args));
    }

    /// acc += A B for the tile at `at` over the k in [first_k, last_k); first_k is a multiple of block_k. No other lane
    /// may be using shared memory. multicast_mask: the blocks that read the same columns of B.
    static TEGULA_INLINE void multiply(typename mma::accumulators& acc, const arguments& args, const tile_position& at,
                                       index_t first_k, index_t last_k, std::uint32_t multicast_mask = 0)
    {
        auto b = part_of_k(b_source(args, at.batch), first_k, last_k);
        b.multicast_mask = multicast_mask;
        Tile::template loop<OrderA, OrderB>::run(acc, part_of_k(a_source(args, at.batch), first_k, last_k), b,
                                                 at.m * Tile::block_m, at.n * Tile::block_n, target::shared_memory());
    }

    /// Bit mask of the cluster's ranks if the tiles of all its blocks have the same columns, else 0 in every block.
    /// Blocks that share B meet at the cluster's barrier, so either all of them must come or none.
    static TEGULA_INLINE std::uint32_t multicast_mask_of_b(const arguments& args, const tile_position& at)
    {
        if constexpr (cluster_blocks == 1)
            return 0;
        const index_t own = target::block_id()[0];
        const index_t first = own - own % cluster_blocks;
        bool all = true;
        static_for<cluster_blocks>([&](auto rank) {
            const tile_position other = position(args, first + rank);
            all &= first + rank < tiles(args) && other.n == at.n && other.batch == at.batch;
        });
        return all ? (1u << cluster_blocks) - 1 : 0;
    }

    /// C = epilogue(acc) for the tile at `at`.
    static TEGULA_INLINE void finish(const typename mma::accumulators& acc, const arguments& args,
                                     const tile_position& at)
    {
        const auto epilogue = [&]() -> const Epilogue& { return args.epilogue; };
        Tile::output::store_through(epilogue, acc, c_window(args, at, 0), at.batch, target::shared_memory());
    }

    /// How a pass of the output stage is distributed when C is written. With 8-bit C, 16 bytes a lane would be 16
    /// elements in each part of the epilogue. The code of a long epilogue would be four times as long, and accesses to
    /// matrices of wider elements would be parts of sectors.
    using pass_distribution =
        typename Tile::output::template distribution_for<C, vector_c && !(reloads_epilogue && sizeof(C) == 1)>;

    /// Window of one pass of the output stage: the tile at `at` of C from row `row` of the tile on.
    template <class Distribution = pass_distribution>
    static TEGULA_INLINE auto c_window(const arguments& args, const tile_position& at, index_t row)
    {
        const auto window = [&](auto column_stride, auto promise) {
            const auto view = make_tensor_view<target, address_space::global>(
                args.c.data + at.batch * args.c.batch_stride,
                make_strided_descriptor(make_tuple(static_cast<index_t>(args.m), static_cast<index_t>(args.n)),
                                        make_tuple(args.c.row_stride, column_stride), promise),
                "C");
            return make_tile_window<Distribution>(view, {at.m * Tile::block_m + row, at.n * Tile::block_n});
        };
        if constexpr (vector_c)
            return window(constant<1>{}, constant<16 / static_cast<index_t>(sizeof(C))>{});
        else
            return window(args.c.column_stride, constant<1>{});
    }

    /// The stride to use for `rows` rows. The stride of a single row means nothing and need not be a multiple of a
    /// vector. With 0, loads of rows past it are aligned, whether the hardware drops them or not.
    static TEGULA_INLINE long_index_t stride_of_rows(long_index_t rows, long_index_t stride)
    {
        return rows > 1 ? stride : 0;
    }

    static TEGULA_INLINE operand_source<a_type> a_source(const arguments& args, long_index_t batch)
    {
        return {args.a.data + batch * args.a.batch_stride, static_cast<index_t>(args.m), static_cast<index_t>(args.k),
                stride_of_rows(args.m, args.a.row_stride), args.a.column_stride,         "A"};
    }

    static TEGULA_INLINE operand_source<b_type> b_source(const arguments& args, long_index_t batch)
    {
        return {args.b.data + batch * args.b.batch_stride,
                static_cast<index_t>(args.n),
                static_cast<index_t>(args.k),
                stride_of_rows(args.n, args.b.column_stride),
                args.b.row_stride,
                "B"};
    }

private:
    template <class Element>
    static TEGULA_INLINE operand_source<Element> part_of_k(operand_source<Element> s, index_t first_k, index_t last_k)
    {
        s.data += first_k * s.k_stride;
        s.k = last_k - first_k;
        return s;
    }
};

} // namespace tegula
