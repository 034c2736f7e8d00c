#pragma once

#include <tegula/arch/reload_arguments.hpp>
#include <tegula/kernel/reduction/reduce_kernel.hpp>
#include <tegula/kernel/space_grid.hpp>
#include <tegula/kernel/tensor_protocol.hpp>

namespace tegula {

/// output[i..., x...] = table[indices[i...], x...]: a gather of rows, as in an embedding.
///
/// A negative index counts from the end, as in NumPy: -1 is the last row. An index outside [-rows, rows), where rows is the
/// table's first length, gives a row of zeros.
template <class T, class Index>
struct gather_arguments
{
    tensor_argument<const T> table;
    tensor_argument<const Index> indices; ///< std::int32_t or std::int64_t
    tensor_argument<T> output;            ///< the dimensions of the indices, then those of the table but the first
    /// On the device: the kernel adds the number of indices outside. Null: they are not counted.
    int* out_of_range = nullptr;
};

/// The arguments of a gather_kernel (plan_gather).
template <class T, class Index>
struct gather_plan
{
    static constexpr index_t splits = 1; ///< the grid's y

    const T* table;
    const Index* indices;
    T* output;
    int* out_of_range;
    long_index_t table_rows, table_stride;
    index_space<2> rows = {};    ///< places in the output and in the indices
    index_space<2> columns = {}; ///< places in the output and in the table, within a row
    index_t blocks = 0;
};

/// A row of the output is copied by 8 lanes or by a wave.
template <class Target, class T, class Index, reduce_layout Layout, index_t Vector>
struct gather_kernel
{
    using target = Target;
    using arguments = gather_plan<T, Index>;
    using distribution = typename internal::reduce_tile<Target, Layout, Vector, 2>::distribution; // [rows, columns]
    using row_distribution = reduced_distribution<distribution, 1>;
    static_assert(row_distribution::num_registers == 1, "tegula: a lane copies from one row at a time");

    static constexpr index_t vector = Vector;
    static constexpr int block_threads = default_block_threads<Target>;
    static constexpr index_t shared_bytes = 0;
    static constexpr index_t rows = distribution::x_length(0);
    static constexpr index_t columns = distribution::x_length(1);

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const long_index_t step = static_cast<long_index_t>(args.blocks) * rows;
        TEGULA_ROLLED
        for (long_index_t row = static_cast<long_index_t>(target::block_id()[0]) * rows; row < args.rows.size;
             row += step)
            copy_rows(internal::reload_arguments(args), row, internal::count_from(row, args.rows.size, rows));
    }

private:
    static TEGULA_INLINE void copy_rows(const arguments& args, long_index_t row, index_t num_rows)
    {
        const auto indices = make_tile_window<row_distribution>(
            make_tensor_view<target, address_space::global>(
                args.indices, numbered_descriptor<2, 1>{&args.rows, 1, row, num_rows}, "indices"),
            {0});
        // Lanes without a row read none.
        constexpr auto none = static_cast<Index>(long_index_t{1} << (8 * sizeof(Index) - 1));
        const auto index = static_cast<long_index_t>(load(indices, none)[0]);
        const long_index_t at = index < 0 ? index + args.table_rows : index;
        const bool inside = at >= 0 && at < args.table_rows;
        if (args.out_of_range != nullptr)
            sweep<target>(distributed_tensor<bool, row_distribution>{{inside}}, [&](bool found, const auto& x) {
                if (!found && x[0] < num_rows && internal::writes_its_elements<decltype(indices)>())
                    target::atomic_add(args.out_of_range, 1);
            });
        TEGULA_ROLLED
        for (long_index_t column = 0; column < args.columns.size; column += columns) {
            const index_t num_columns = internal::count_from(column, args.columns.size, columns);
            const auto from = make_tensor_view<target, address_space::global>(
                args.table + (inside ? at : 0) * args.table_stride,
                own_row_descriptor<2, Vector>{&args.columns, 1, column, inside ? num_columns : 0}, "table");
            const auto to = make_tensor_view<target, address_space::global>(
                args.output,
                crossed_descriptor<2, 2, Vector, 1>{&args.rows, &args.columns, 0, 0, row, column, num_rows,
                                                    num_columns},
                "output");
            store(make_tile_window<distribution>(to, {0, 0}), load(make_tile_window<distribution>(from, {0, 0})));
        }
    }
};

namespace detail {

template <class T, class Index>
status check_gather(const gather_arguments<T, Index>& args)
{
    if (args.table.rank < 1)
        return bad_tensor("table") << "rank 0; its first dimension is that of the rows";
    const int rank = args.indices.rank + args.table.rank - 1;
    if (args.output.rank != rank)
        return bad_tensor("output") << "rank " << args.output.rank << "; the indices and a row of the table have "
                                    << rank << " dimensions together";
    for (int i = 0; i < rank; ++i) {
        const bool of_index = i < args.indices.rank;
        const long_index_t length = of_index ? args.indices.lengths[i] : args.table.lengths[i - args.indices.rank + 1];
        if (args.output.lengths[i] != length)
            return bad_tensor("output") << "length " << args.output.lengths[i] << " of dimension " << i << "; the "
                                        << (of_index ? "indices have " : "table has ") << length << " there";
    }
    return {};
}

/// Dimensions [first, last) of a tensor.
template <class T>
constexpr tensor_argument<T> dimensions_of(const tensor_argument<T>& x, int first, int last)
{
    tensor_argument<T> part{x.data, last - first};
    for (int i = first; i < last; ++i) {
        part.lengths[i - first] = x.lengths[i];
        part.strides[i - first] = x.strides[i];
    }
    return part;
}

} // namespace detail

/// Whether the rows can be gathered: check_tensor of the inputs, check_output of the output, lengths that fit, and an
/// output that overlaps no input. The indices are in device memory and not checked: see gather_arguments.
///
/// Errors: invalid_argument.
template <class T, class Index>
status can_implement(const gather_arguments<T, Index>& args)
{
    status s = check_tensor(args.table, "table");
    if (s)
        s = check_tensor(args.indices, "indices");
    if (s)
        s = check_output(args.output, "output");
    if (s)
        s = detail::check_gather(args);
    if (s && (memory_overlaps(args.table, args.output) || memory_overlaps(args.indices, args.output)))
        s = internal::bad_tensor("output") << "its memory overlaps an input's; give it memory of its own";
    return s;
}

/// The plan of arguments that can_implement accepts. dispatch_gather fills in `blocks`.
template <class T, class Index>
gather_plan<T, Index> plan_gather(const gather_arguments<T, Index>& args)
{
    const int dims = args.indices.rank;
    gather_plan<T, Index> plan{args.table.data,   args.indices.data,     args.output.data,
                               args.out_of_range, args.table.lengths[0], args.table.strides[0]};
    plan.rows = canonicalize(make_index_space(detail::dimensions_of(args.output, 0, dims), args.indices));
    auto columns = make_index_space(detail::dimensions_of(args.output, dims, args.output.rank),
                                    detail::dimensions_of(args.table, 1, args.table.rank));
    sort_dimensions(columns);
    plan.columns = canonicalize(columns);
    return plan;
}

/// Calls f(kernel, plan) with the kernel for the length of rows: 8 lanes up to 16 accesses, else a wave; in accesses of
/// 16 bytes if rows are contiguous in both tensors and start at multiples of them. Precondition: can_implement.
template <class Target, kernel_choice Choice = kernel_choice::all, class T, class Index, class Call>
status dispatch_gather(const gather_arguments<T, Index>& args, const Call& f)
{
    auto plan = plan_gather(args);
    constexpr index_t widest = widest_vector<T>;
    const auto fits = [&](int t, const void* data) {
        return find_vector_length(plan.columns, t, data, static_cast<int>(sizeof(T)), widest) == widest;
    };
    const bool vectors = fits(0, plan.output) && fits(1, plan.table) && plan.table_stride % widest == 0 &&
                         has_strides_of(plan.rows, 0, widest);
    const auto start = [&](auto kernel) {
        plan.blocks = plan.columns.size == 0 ? 0 : blocks_for(plan.rows.size, kernel.rows);
        return f(kernel, plan);
    };
    const auto with = [&](auto layout) {
        if constexpr (widest > 1)
            if (vectors)
                return start(gather_kernel<Target, T, Index, layout.value, widest>{});
        return start(gather_kernel<Target, T, Index, layout.value, 1>{});
    };
    if constexpr (Choice == kernel_choice::all)
        if (plan.columns.size <= 16 * (vectors ? widest : 1))
            return with(std::integral_constant<reduce_layout, reduce_layout::lanes>{});
    return with(std::integral_constant<reduce_layout, reduce_layout::wave>{});
}

/// The kernels of a gather: launch(device, gather_kernels<Target>{}, args).
template <class Target, kernel_choice Choice = kernel_choice::all, class Arguments = any_arguments>
struct gather_kernels;

template <class Target, kernel_choice Choice>
struct gather_kernels<Target, Choice, any_arguments>
{
    template <class Arguments>
    using with_arguments = gather_kernels<Target, Choice, Arguments>;
};

template <class Target, class T, class Index, kernel_choice Choice>
struct gather_kernels<Target, Choice, gather_arguments<T, Index>> : tensor_protocol<gather_arguments<T, Index>>
{
    using arguments = gather_arguments<T, Index>;

    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        add_tensor(memory, args.table, "table");
        add_tensor(memory, args.indices, "indices");
        add_tensor(memory, args.output, "output");
        add_array(memory, args.out_of_range, 1, "out_of_range");
    }
    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        return dispatch_gather<Target, Choice>(args, start_plan("gather", launch));
    }
};

} // namespace tegula
