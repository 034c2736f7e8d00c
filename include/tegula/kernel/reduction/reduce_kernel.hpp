#pragma once

#include <tegula/arch/reload_arguments.hpp>
#include <tegula/block/row_tile.hpp>
#include <tegula/kernel/reduction/reducers.hpp>
#include <tegula/kernel/space_descriptor.hpp>
#include <tegula/layout/descriptor/coordinate.hpp>
#include <tegula/layout/descriptor/descriptor.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/elementwise.hpp>
#include <tegula/tensor/reduce.hpp>
#include <tegula/tensor/sweep.hpp>

namespace tegula {

/// How a block of 256 threads lies over [results, elements of a result].
enum class reduce_layout {
    lanes,  ///< 8 lanes a result: for few elements that follow each other in memory
    wave,   ///< a wave a result
    block,  ///< a block a result: for many elements
    across, ///< a lane a vector of results that are adjacent in memory; waves share their elements
};

namespace detail {

template <class Target, reduce_layout Layout, index_t Vector, index_t Passes>
struct reduce_tile
{
    static constexpr index_t wave = Target::wave_size, waves = default_block_threads<Target> / wave;
    static constexpr index_t row_lanes = Layout == reduce_layout::lanes ? min(index_t{8}, wave) : wave;
    static constexpr index_t row_waves = Layout == reduce_layout::block ? waves : 1;
    using rows =
        row_tile<Target, row_lanes, row_waves, waves, Passes * lane_multiple<Target>, Vector, row_storage::chunks>;
    using distribution = typename rows::distribution;
    static constexpr int vector_dim = 1;
};
template <class Target, index_t Vector, index_t Passes>
struct reduce_tile<Target, reduce_layout::across, Vector, Passes>
{
    static constexpr index_t wave = Target::wave_size, waves = default_block_threads<Target> / wave;
    using distribution = tile_distribution<tile_distribution_encoding<
        sequence<>, tuple<sequence<wave, Vector>, sequence<Passes * lane_multiple<Target>, waves>>,
        tuple<sequence<2>, sequence<1>>, tuple<sequence<1>, sequence<0>>, sequence<2, 1>, sequence<0, 1>>>;
    static constexpr int vector_dim = 0;
};

} // namespace detail

/// The arguments of a reduce_kernel (plan_reduction).
template <class Reducer, class O>
struct reduction_plan
{
    Reducer reducer;
    const typename Reducer::element* input;
    O* output;
    /// [splits, results]: what each part of the elements gives; read by a second kernel. Not touched if splits is 1.
    typename Reducer::accumulator* partials = nullptr;
    index_space<2> results = {};  ///< places in the input and in the output
    index_space<1> elements = {}; ///< elements of one result
    index_t splits = 1;           ///< blocks that share the elements of a result: the grid's y
    long_index_t slice = 0;       ///< elements that one of them takes
    index_t blocks = 0;           ///< the grid's x; each takes every blocks-th tile of results
};

/// Reduces the elements of each result, one tile [results, elements] after the other, in a fixed order, so that results
/// are the same from run to run.
///
///   Reducer  see reducers.hpp
///   O        element type of the output
///   Vector   elements of an access along the dimension that the layout says is contiguous
template <class Target, class Reducer, class O, reduce_layout Layout, index_t Vector>
struct reduce_kernel
{
    using target = Target;
    using arguments = reduction_plan<Reducer, O>;
    using element = typename Reducer::element;
    using accumulator = typename Reducer::accumulator;
    static constexpr index_t passes = Reducer::accumulators_a_lane;
    using tile = detail::reduce_tile<Target, Layout, Vector, passes>;
    using distribution = typename tile::distribution;
    /// A GPU's lane adds its passes up as they come; a CPU keeps their sums apart, for its compiler to make vectors of.
    using sum_distribution =
        typename detail::reduce_tile<Target, Layout, Vector, Target::wave_size != 1 ? 1 : passes>::distribution;
    using result_distribution = reduced_distribution<distribution, 1>;

    static constexpr reduce_layout layout = Layout;
    static constexpr index_t vector = Vector;
    static constexpr int block_threads = default_block_threads<Target>;
    static constexpr index_t rows = distribution::x_length(0);
    static constexpr index_t columns = distribution::x_length(1);
    static constexpr index_t shared_bytes = reduce_scratch_bytes<Target, accumulator, distribution, 1>;
    /// Elements of a result that follow each other are added as one run, in vectors of a CPU.
    static constexpr bool adds_runs =
        Target::wave_size == 1 && Layout != reduce_layout::across && Vector > 1 && !Reducer::ordered;
    static constexpr bool compiled_whole = adds_runs;
    /// Results that a block takes, if there are blocks enough: on a CPU so many that their elements outweigh its start.
    static TEGULA_HOST_DEVICE constexpr index_t rows_of_block(long_index_t elements)
    {
        return adds_runs ? static_cast<index_t>(max(4096 / max(elements, long_index_t{1}), long_index_t{1})) : rows;
    }
    /// If a result's elements follow each other, a lane reads whole vectors at constant distances. That is a few
    /// instructions each; a window computes the place of every vector.
    static constexpr bool reads_rows = Target::wave_size != 1 && Layout != reduce_layout::across && Vector > 1;

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const long_index_t step = static_cast<long_index_t>(args.blocks) * rows;
        if constexpr (adds_runs) { // results one after the other, as prefetchers expect it
            const long_index_t share = ceil_div(args.results.size, static_cast<long_index_t>(args.blocks));
            const long_index_t begin = target::block_id()[0] * share, end = min(begin + share, args.results.size);
            for (long_index_t row = begin; row < end; ++row)
                reduce_rows(args, row);
            return;
        }
        TEGULA_ROLLED
        for (long_index_t row = static_cast<long_index_t>(target::block_id()[0]) * rows; row < args.results.size;
             row += step)
            reduce_rows(internal::reload_arguments(args), row);
    }

private:
    static TEGULA_INLINE void reduce_rows(const arguments& args, long_index_t row)
    {
        const auto combine = [&](const accumulator& a, const accumulator& b) { return args.reducer.combine(a, b); };
        const index_t split = args.splits > 1 ? target::block_id()[1] : 0;
        const long_index_t begin = split * args.slice;
        const long_index_t end = min(begin + args.slice, args.elements.size);
        if constexpr (adds_runs && is_native_cpu<target>)
            if (args.elements.rank <= 1) {
                const accumulator total = add_run(args.reducer, args.input + args.results.offset(row, 0), begin, end);
                if (args.splits > 1)
                    args.partials[split * args.results.size + row] = total;
                else
                    args.output[args.results.offset(row, 1)] =
                        from_computed<O>(args.reducer.finish(total, args.elements.size));
                return;
            }
        auto sums = make_distributed_tensor<accumulator, sum_distribution>(args.reducer.identity());
        const auto reduce_columns = [&](const auto& load_from) {
            TEGULA_ROLLED
            for (long_index_t column = begin; column < end; column += columns) {
                const auto values = load_from(column);
                auto lifted = make_distributed_tensor<accumulator, distribution>(args.reducer.identity());
                internal::for_registers<distribution::num_registers>(
                    [&](auto r) { lifted[r] = args.reducer.lift(values[r], column); });
                if constexpr (Reducer::ordered) // an element's number is the column's and its place in the tile
                    sweep<target>(lifted, [](accumulator& a, const auto& x) { a.position += x[1]; });
                internal::for_registers<distribution::num_registers>([&](auto r) {
                    const auto sum = r % sum_distribution::num_registers; // passes come first
                    sums[sum] = combine(sums[sum], lifted[r]);
                });
            }
        };
        const bool dense = reads_rows && args.elements.rank == 1;
        if constexpr (reads_rows)
            if (dense) {
                const long_index_t own = row + tile::rows::row_of_lane();
                const bool exists = own < args.results.size;
                const element* const from = args.input + args.results.offset(exists ? own : row, 0);
                reduce_columns([&](long_index_t column) {
                    const index_t length = exists ? internal::count_from(column, end, columns) : 0;
                    return row_access<typename tile::rows, const element>{from + column, length, 1, "input"}.load(
                        0, args.reducer.fill());
                });
            }
        if (!dense)
            reduce_columns(
                [&](long_index_t column) { return load(input_window(args, row, column, end), args.reducer.fill()); });
        const auto totals = reduce<target, 1>(sums, combine, target::shared_memory()); // [rows]
        if (args.splits > 1)
            store(window_of(args.partials + split * args.results.size + row, args.results.size - row), totals);
        else
            store(output_window(args, row), elementwise(
                                                [&](const accumulator& a) {
                                                    return from_computed<O>(args.reducer.finish(a, args.elements.size));
                                                },
                                                totals));
    }

    /// Reduces elements [begin, end) that follow each other, on a CPU. Each is added to one of several partial sums
    /// side by side, which its compiler makes vectors of.
    static TEGULA_INLINE accumulator add_run(const Reducer& reducer, const element* from, long_index_t begin,
                                             long_index_t end)
    {
        constexpr int parts = 64;
        accumulator sums[parts];
        for (accumulator& sum : sums)
            sum = reducer.identity();
        for (; begin + parts <= end; begin += parts)
            for (int j = 0; j < parts; ++j)
                sums[j] = reducer.combine(sums[j], reducer.lift(from[begin + j], begin));
        static_for<6>([&](auto step) {
            constexpr int half = parts >> (step + 1);
            for (int j = 0; j < half; ++j)
                sums[j] = reducer.combine(sums[j], sums[j + half]);
        });
        for (; begin < end; ++begin)
            sums[0] = reducer.combine(sums[0], reducer.lift(from[begin], begin));
        return sums[0];
    }
    static TEGULA_INLINE auto input_window(const arguments& args, long_index_t row, long_index_t column,
                                           long_index_t end)
    {
        const auto view = make_tensor_view<target, address_space::global>(
            args.input,
            crossed_descriptor<2, 1, Vector, tile::vector_dim>{&args.results, &args.elements, 0, 0, row, column,
                                                               internal::count_from(row, args.results.size, rows),
                                                               internal::count_from(column, end, columns)},
            "input");
        return make_tile_window<distribution>(view, {0, 0});
    }
    static TEGULA_INLINE auto output_window(const arguments& args, long_index_t row)
    {
        const auto view = make_tensor_view<target, address_space::global>(
            args.output,
            numbered_descriptor<2, 1>{&args.results, 1, row, internal::count_from(row, args.results.size, rows)},
            "output");
        return make_tile_window<result_distribution>(view, {0});
    }
    static TEGULA_INLINE auto window_of(accumulator* partials, long_index_t count)
    {
        const auto view = make_tensor_view<target, address_space::global>(
            partials, make_packed_descriptor(make_tuple(internal::count_from(0, count, rows))), "partial results");
        return make_tile_window<result_distribution>(view, {0});
    }
};

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::reduce_tile;
} // namespace tegula::internal
