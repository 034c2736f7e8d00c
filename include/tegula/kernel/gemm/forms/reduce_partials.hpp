#pragma once

#include <tegula/block/exchanged_load.hpp>
#include <tegula/kernel/gemm/forms/partials.hpp>
#include <tegula/kernel/protocol.hpp>

namespace tegula {

/// A kernel that leaves partial products of tiles in a workspace: split_k_gemm, stream_k_gemm, split_k_reduction.
///
///   plain              the kernel of the whole product, whose epilogue and window of C finish a tile
///   parts              how a partial product lies in the workspace: window(), elements
///   shared_tiles(a)    how many tiles may have several partial products
///   shared_tile(a, i)  its tile, the number of its partial products (0: nothing to do), and the slot of each
///   sums_start_early   whether reduce_partials may start while the first kernel still runs; if so,
///   wait_for_partials()  waits until the first kernel has ended
template <class Kernel>
concept partial_product = requires(const typename Kernel::arguments& a) {
    typename Kernel::plain::tile;
    typename Kernel::parts;
    { Kernel::parts::elements + 0 };
    { Kernel::sums_start_early || false };
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

/// The rows that reduce_partials finishes at a time, and how they are distributed: a pass of the output stage.
template <class Kernel>
struct sum_pass
{
    using output = typename Kernel::plain::tile::output;
    using product = decltype(std::declval<typename Kernel::arguments>().product);
    using value_type = typename Kernel::parts::value_type;
    using c_type = std::remove_pointer_t<decltype(std::declval<product>().c.data)>;
    using sums = typename output::pass_distribution; ///< distribution of the partial sums
    using result = sums;                             ///< distribution of C
    static constexpr index_t rows = output::pass_rows;
};

/// sizeof(sum) / sizeof(element of C) passes at once, if a lane can then store 16 bytes of C.
template <class Kernel>
struct wide_sum_pass
{
    using plain = typename Kernel::plain;
    using target = typename plain::target;
    using tile = typename plain::tile;
    using product = typename sum_pass<Kernel>::product;
    using value_type = typename sum_pass<Kernel>::value_type;
    using c_type = typename sum_pass<Kernel>::c_type;

    static constexpr index_t rows =
        tile::output::pass_rows * static_cast<index_t>(sizeof(value_type)) / static_cast<index_t>(sizeof(c_type));
    using result =
        tile_distribution<operand_load_source<target, c_type, rows, tile::block_n,
                                              plain::block_threads / target::wave_size, operand_order::k_contiguous>>;
    using sums = memory_distribution<target, value_type, result>;

    static consteval bool is_possible()
    {
        // With 8 bits the code of an epilogue of many parts would be four times as long.
        if constexpr (tile::block_m % rows != 0 ||
                      (sizeof(c_type) == 1 && sizeof(decltype(std::declval<product>().epilogue)) > 64))
            return false;
        else if constexpr (std::is_same_v<sums, result>)
            return false;
        else
            return decltype(plain::template c_window<result>(std::declval<const product&>(), tile_position{},
                                                             0))::plan::vector *
                       sizeof(c_type) ==
                   16;
    }
};

template <class Kernel>
auto find_sum_pass()
{
    using narrow = sum_pass<Kernel>;
    if constexpr (!narrow::output::passes_whole_rows) // on a CPU
        return narrow{};
    else if constexpr (sizeof(typename narrow::c_type) >= sizeof(typename narrow::value_type))
        return narrow{};
    else if constexpr (!wide_sum_pass<Kernel>::is_possible())
        return narrow{};
    else
        return wide_sum_pass<Kernel>{};
}

} // namespace detail

/// The second kernel of a product whose k is shared by several blocks: adds the partial sums of a tile, in the order of
/// k, and finishes it with the epilogue. The order of the additions depends on the arguments alone, so that results are
/// the same from run to run.
///
///   Kernel  the first kernel, with the same arguments
///
/// A block takes a few rows of a tile; a lane stores 16 bytes if the tile and C allow it.
template <class Kernel>
struct reduce_partials
{
    static_assert(detail::is_a_partial_product<Kernel>::ok);

    using plain = typename Kernel::plain;
    using target = typename plain::target;
    using arguments = typename Kernel::arguments;
    using tile = typename plain::tile;
    using parts = typename Kernel::parts;

    static constexpr const char* name = "reduce_partials";
    static constexpr int block_threads = plain::block_threads;
    static constexpr index_t shared_bytes = 0;
    using pass = decltype(detail::find_sum_pass<Kernel>());
    static constexpr index_t rows = pass::rows;
    static constexpr index_t passes = tile::block_m / rows;

    /// Whether it may start while the first kernel ends.
    static constexpr bool waits_for_previous = Kernel::sums_start_early;

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

        auto part = parts::template window<typename pass::sums>(args.workspace, args.product, at, 0, row);
        auto to = plain::template c_window<typename pass::result>(args.product, at, row);
        if constexpr (!tile::output::passes_whole_rows) { // on a CPU
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
        if constexpr (std::is_same_v<typename pass::sums, typename pass::result>) {
            tile::output::store_pass(args.product.epilogue, sum, to, batch);
        } else {
            auto tile_of_c = convert<target, typename pass::result>(sum);
            tile::output::store_pass(args.product.epilogue, tile_of_c, to, batch);
        }
    }
};

/// Starts a kernel that leaves partial sums, and after it the kernel that adds them.
///
///   Partial  the partial_product to add up; the kernel itself if it is one
template <class Partial, class Kernel, class Launcher>
status launch_with_sum(const Kernel& kernel, const char* name, const typename Kernel::arguments& args, Launcher& launch)
{
    launch_config config;
    config.grid.x = Kernel::blocks(args);
    config.name = name;
    const status s = launch(config, kernel, args);
    return s ? launch.run(reduce_partials<Partial>{}, args) : s;
}

} // namespace tegula
