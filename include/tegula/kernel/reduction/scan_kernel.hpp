#pragma once

#include <tegula/arch/reload_arguments.hpp>
#include <tegula/kernel/reduction/reduce_kernel.hpp>
#include <tegula/tensor/scan.hpp>

namespace tegula {

/// The arguments of a scan_kernel (plan_scan).
template <class T, class Op, class O>
struct scan_plan
{
    Op op;
    bool exclusive;
    const T* input;
    O* output;
    /// [splits, rows]: op over each part of a row, made by a reduce_kernel before. Not touched if splits is 1.
    const computed_type<T>* partials = nullptr;
    index_space<2> rows = {};     ///< places in the input and in the output
    index_space<2> elements = {}; ///< elements of a row, along the axis
    index_t splits = 1;           ///< blocks that share a row: the grid's y
    long_index_t slice = 0;       ///< elements that one of them takes
    index_t blocks = 0;           ///< the grid's x; each takes every blocks-th tile of rows
};

/// Scans each row, tile after tile, and carries along the result of the tiles before. If several blocks share a row,
/// each starts with the reductions of the parts before its own. The order of operations depends on the shape alone.
///
///   Op      plus, maximum or another commutative monoid; applied in float to half and bfloat16
///   Layout  wave or block if a row's elements are neighbours, across if rows are
template <class Target, class T, class Op, class O, reduce_layout Layout, index_t Vector>
struct scan_kernel
{
    using target = Target;
    using arguments = scan_plan<T, Op, O>;
    using value_type = computed_type<T>;
    using tile = detail::reduce_tile<Target, Layout, Vector, Layout == reduce_layout::across ? 4 : 1>;
    using distribution = typename tile::distribution;
    using row_distribution = reduced_distribution<distribution, 1>;

    static constexpr index_t vector = Vector;
    static constexpr int block_threads = default_block_threads<Target>;
    static constexpr index_t rows = distribution::x_length(0);
    static constexpr index_t columns = distribution::x_length(1);
    static constexpr index_t shared_bytes = max(reduce_scratch_bytes<Target, value_type, distribution, 1>,
                                                scan_scratch_bytes<Target, value_type, distribution, 1>);

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const long_index_t step = static_cast<long_index_t>(args.blocks) * rows;
        TEGULA_ROLLED
        for (long_index_t row = static_cast<long_index_t>(target::block_id()[0]) * rows; row < args.rows.size;
             row += step)
            scan_rows(internal::reload_arguments(args), row);
    }

private:
    static TEGULA_INLINE void scan_rows(const arguments& args, long_index_t row)
    {
        const auto op = [&](value_type a, value_type b) { return args.op(a, b); };
        const value_type identity = args.op.template identity<value_type>();
        const index_t split = args.splits > 1 ? target::block_id()[1] : 0;
        const long_index_t begin = split * args.slice;
        const long_index_t end = min(begin + args.slice, args.elements.size);
        auto before = make_distributed_tensor<value_type, row_distribution>(identity); // [rows]
        TEGULA_ROLLED
        for (index_t part = 0; part < split; ++part)
            before = elementwise(op, before, load(partials_window(args, part, row), identity));
        TEGULA_ROLLED
        for (long_index_t column = begin; column < end; column += columns) {
            const arguments& reloaded = internal::reload_arguments(args);
            const auto read = load(window<const T, 0>(reloaded, reloaded.input, row, column, end, "input"),
                                   from_computed<T>(identity));
            const auto values = elementwise([](const T& x) { return to_computed(x); }, read); // [rows, columns]
            auto result = exclusive_scan<target, 1>(values, op, identity, target::shared_memory());
            transform_with_reduced<1>(result, before, [&](value_type x, value_type all) { return op(all, x); });
            if (!args.exclusive)
                result = elementwise(op, result, values);
            store(window<O, 1>(reloaded, reloaded.output, row, column, end, "output"),
                  elementwise([](value_type x) { return from_computed<O>(x + value_type{}); }, result)); // 0 for -0
            before = elementwise(op, before, reduce<target, 1>(values, op, target::shared_memory()));
        }
    }

    template <class Pointed, int Tensor>
    static TEGULA_INLINE auto window(const arguments& args, Pointed* data, long_index_t row, long_index_t column,
                                     long_index_t end, const char* name)
    {
        const auto view = make_tensor_view<target, address_space::global>(
            data,
            crossed_descriptor<2, 2, Vector, tile::vector_dim>{&args.rows, &args.elements, Tensor, Tensor, row, column,
                                                               internal::count_from(row, args.rows.size, rows),
                                                               internal::count_from(column, end, columns)},
            name);
        return make_tile_window<distribution>(view, {0, 0});
    }
    static TEGULA_INLINE auto partials_window(const arguments& args, index_t part, long_index_t row)
    {
        const auto view = make_tensor_view<target, address_space::global>(
            args.partials + part * args.rows.size + row,
            make_packed_descriptor(make_tuple(internal::count_from(row, args.rows.size, rows))), "partial results");
        return make_tile_window<row_distribution>(view, {0});
    }
};

} // namespace tegula
