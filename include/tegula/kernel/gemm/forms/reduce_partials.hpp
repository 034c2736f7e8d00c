#pragma once

#include <tegula/kernel/gemm/forms/partials.hpp>

namespace tegula {

/// A kernel that leaves partial products of tiles in a workspace: split_k_gemm, stream_k_gemm, split_k_reduction.
///
///   plain              the kernel of the whole product, whose epilogue and window of C finish a tile
///   parts              how a partial product lies in the workspace: window(), elements
///   shared_tiles(a)    how many tiles may have several partial products
///   shared_tile(a, i)  which tile it is, how many partial products it has (0: nothing to do), and in which slot each is
///   wait_for_partials()  where it is, returns when the first kernel has ended
template <class Kernel>
concept partial_product = requires(const typename Kernel::arguments& a) {
    typename Kernel::plain::tile;
    typename Kernel::parts;
    { Kernel::parts::elements + 0 };
    { Kernel::shared_tiles(a) + 0 };
    { Kernel::shared_tile(a, index_t(0)).parts + 0 };
    { Kernel::shared_tile(a, index_t(0)).slot(index_t(0)) + 0 };
};

namespace detail {

template <class Kernel>
struct is_a_partial_product
{
    static_assert(partial_product<Kernel>,
                  "tegula: reduce_partials sums what a kernel left in a workspace; give it split_k_gemm, "
                  "stream_k_gemm or another partial_product (the template argument is what it was given)");
    static constexpr bool ok = true;
};

} // namespace detail

/// The second kernel of a product whose k is shared by several blocks: adds the partial sums of a tile, in the order of
/// k, and finishes it with the epilogue. The order of the additions depends on the arguments alone, so that results are
/// the same from run to run.
///
///   Kernel  the first kernel, with the same arguments
///
/// A block takes one pass of the output stage, a few rows of a tile.
template <class Kernel>
struct reduce_partials
{
    static_assert(detail::is_a_partial_product<Kernel>::ok);

    using plain = typename Kernel::plain;
    using target = typename plain::target;
    using arguments = typename Kernel::arguments;
    using tile = typename plain::tile;
    using parts = typename Kernel::parts;

    static constexpr int block_threads = plain::block_threads;
    static constexpr index_t shared_bytes = 0;
    static constexpr index_t rows = tile::output::pass_rows;
    static constexpr index_t passes = tile::block_m / rows;

    /// Whether it may start while the first kernel ends.
    static constexpr bool waits_for_previous = requires { Kernel::wait_for_partials(); };

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return static_cast<long_index_t>(Kernel::shared_tiles(args)) * passes;
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        if constexpr (waits_for_previous)
            Kernel::wait_for_partials();
        const index_t block = target::block_id()[0];
        const index_t row = block % passes * rows;
        const auto shared = Kernel::shared_tile(args, block / passes);
        if (shared.parts == 0)
            return;
        const tile_position at = plain::position(args.product, shared.tile);
        if (at.m * tile::block_m + row >= args.product.m)
            return;

        auto part = parts::window(args.workspace, args.product, at, 0, row);
        // Distributed as the partial sums are: of a narrower C a lane has less than 16 bytes, since sums read 32 bytes
        // apart would touch every sector twice.
        auto to = plain::template c_window<typename tile::output::pass_distribution>(args.product, at, row);
        if constexpr (requires { tile::output::pass_columns; }) { // of a CPU, parts of a row
            const index_t columns = min(tile::block_n, static_cast<index_t>(args.product.n) - at.n * tile::block_n);
            for (index_t j = 0; j < columns; j += tile::output::pass_columns) {
                finish_pass(args, shared, part, to, at.batch);
                part.move({0, tile::output::pass_columns});
                to.move({0, tile::output::pass_columns});
            }
        } else {
            finish_pass(args, shared, part, to, at.batch);
        }
    }

private:
    /// Adds the partial sums of one pass and writes C.
    template <class Shared, class Part, class Window>
    static TEGULA_INLINE void finish_pass(const arguments& args, const Shared& shared, Part part, const Window& to,
                                          long_index_t batch)
    {
        auto* const first = part.view.data;
        part.view.data = first + shared.slot(0) * parts::elements;
        auto sum = load(part); // [rows, columns of a pass]
        for (index_t p = 1; p < shared.parts; ++p) {
            part.view.data = first + shared.slot(p) * parts::elements;
            sum = elementwise([](auto x, auto y) { return x + y; }, sum, load(part));
        }
        tile::output::store_pass(args.product.epilogue, sum, to, batch);
    }
};

} // namespace tegula
